//! Places in which a password stands, each beside a place that looks like it and holds none.

use crate::redaction::Engine;

const VALUE: &str = "Vw7Kq2Zt9x";

/// Texts with `@@` in the place of the value.
const HIDDEN: &[&str] = &[
    "htpasswd -b /etc/nginx/.htpasswd admin @@",
    "htpasswd -bc .htpasswd admin @@",
    "htpasswd -nb admin '@@'",
    r"net use Z: \\srv\share @@ /user:DOM\bob",
    r"net use \\srv\share /user:bob @@",
    "net user bob @@ /add",
    "rabbitmqctl add_user bob @@",
    "wpa_passphrase MyNet @@",
    "openssl passwd -6 @@",
    "AUTH @@\n+OK",
    "127.0.0.1:6379> AUTH default @@",
    "snmp-server community @@ RO",
    "sqlplus scott/@@@orcl",
    "jdbc:oracle:thin:scott/@@@db:1521:x",
    "impacket-psexec dom/bob:@@@10.0.0.1",
    "chpasswd <<< 'bob:@@'",
    "cryptsetup luksOpen /dev/sda x <<< @@",
    "echo @@ | passwd --stdin bob",
    "echo one\nprintf '%s' '@@' | gh secret set NAME",
    "zip -P @@ a.zip f",
    "7z x -p@@ a.7z",
    "ssh-keygen -t ed25519 -N '@@' -f k",
    "ldapadd -x -D cn=admin -w @@ -f a.ldif",
    "snmpget -v3 -u bob -A @@ host",
    "xfreerdp /u:bob /p:@@ /v:h",
    "lftp -u bob,@@ ftp://h",
    "kubectl create secret generic db --from-literal=user=@@",
    "curl -b 'session=@@' https://x.example",
    "SSHPASS=@@ sshpass -e ssh h",
    "variable \"db_password\" {\n  type = string\n  default = \"@@\"\n}",
    "{\"o\":\"variable \\\"db_password\\\" { default = \\\"@@\\\" }\"}",
    "output \"password\" { value = \"@@\" }",
    "CREATE USER app IDENTIFIED BY @@;",
    "ALTER USER scott IDENTIFIED BY @@ ACCOUNT UNLOCK;",
    "expect \"password:\"\nsend \"@@\\r\"",
    "child.expect('password:')\nchild.sendline('@@')",
    "<key>Password</key>\n<string>@@</string>",
    "- {name: DB_PASSWORD, value: \"@@\"}",
    "ENV DB_PASSWORD @@",
    "setx DB_PASSWORD @@",
    "hibernate.connection.password @@",
    "username admin password 0 @@",
    "$password = ConvertTo-SecureString '@@' -AsPlainText -Force",
    "ConvertTo-SecureString -String \"@@\" -AsPlainText",
    "process.env.DB_PASSWORD || '@@'",
    "ENV['DB_PASSWORD'] ||= '@@'",
    "conn.setPassword(\"@@\");",
    "client.password('@@')",
    "os.getenv('DB_PASSWORD', '@@')",
    "auth=('bob', '@@')",
    "HTTPBasicAuth('bob', '@@')",
    "The password is: @@",
    "the root password was changed to @@.",
    "das Passwort lautet @@",
    "use user bob and password @@ to log in",
    "user: bob pass: @@",
];

const LEFT: &[&str] = &[
    "htpasswd -c .htpasswd admin",
    "htpasswd -b $FILE $NAME $WORD",
    "the htpasswd -b flag takes the password from the command line",
    r"net use Z: \\srv\share * /user:bob",
    "the net use of energy fell to 4711kWh",
    "net user growth was 12 percent",
    "rabbitmqctl list_users name tags42",
    "wpa_passphrase MyNet",
    "openssl passwd -6 -in words42.txt",
    "openssl passwd -6 $WORD",
    "AUTH LOGIN",
    "auth flow2024 changed",
    "snmp-server community public RO",
    "sqlplus / as sysdba",
    "sqlplus $USER/$PASS@orcl",
    "jdbc:oracle:thin:@db.example:1521:x1",
    "impacket-psexec -h",
    "chpasswd < users42.txt",
    "zip -r a42.zip folder",
    "7z x -y archive42.7z",
    "ssh-keygen -t ed25519 -N '' -f id_42",
    "kubectl create secret generic db --from-file=ca42.crt",
    "curl -b cookies42.txt https://x.example",
    "variable \"db_password\" {\n  type = string\n  sensitive = true\n}\nvariable \"size\" {\n  default = \"t3.large4\"\n}",
    "variable \"region\" {\n  default = \"eu-west-1a\"\n}",
    "output \"password\" { value = aws_db_instance.db1.password }",
    "CREATE USER app IDENTIFIED EXTERNALLY;",
    "CREATE USER app IDENTIFIED BY VALUES;",
    "the user is identified by name42 in the log",
    "expect \"password:\"\nsend \"$word\\r\"",
    "<key>Password</key>\n<true/>",
    "- {name: DB_PASSWORD, valueFrom: {secretKeyRef: {name: db-1}}}",
    "ENV DB_PASSWORD $DB_PASSWORD",
    "set the ENV PASSWORD variable",
    "the password 0 is refused",
    "$password = ConvertTo-SecureString $plain -AsPlainText -Force",
    "process.env.DB_PASSWORD || ''",
    "conn.setPassword(password);",
    "z.password(\"required\")",
    "reset_password(\"bob42\")",
    "['password', 'column42']",
    "auth=(user, word)",
    "auth=('bob', os.environ['W1'])",
    "the password is base64encoded",
    "the password is sha256",
    "the password was changed to something longer",
    "the user changed the password yesterday",
    "PASS: TestLogin42",
];

#[test]
fn a_value_is_gone_in_every_place() {
    let engine = Engine::embedded();
    let gone = |text: &&&str| {
        let text = text.replace("@@", VALUE);
        engine.redact(&text).as_str().contains(VALUE)
    };
    let left: Vec<_> = HIDDEN.iter().filter(gone).collect();
    assert!(left.is_empty(), "{left:#?}");
}

#[test]
fn what_only_looks_like_such_a_place_stays() {
    let engine = Engine::embedded();
    let changed = LEFT.iter().map(|text| (text, engine.redact(text)));
    let changed: Vec<_> = changed
        .filter(|(text, hidden)| hidden.as_str() != **text)
        .map(|(_, hidden)| hidden)
        .collect();
    assert!(changed.is_empty(), "{changed:#?}");
}
