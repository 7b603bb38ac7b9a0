//! The words that tell requests, courtesies, announcements and troubles apart, in several languages.
//!
//! English, Spanish, German, French, Portuguese, Chinese, Japanese. Phrases of a line are parted by
//! bars. A phrase holds at the end of a word alone. Letters outside of ASCII are lower case.

use std::sync::LazyLock;

use super::phrases::{Openings, Phrases};

/// Announcements of the next step, which tell nothing once the step is done.
pub(super) static NARRATION: LazyLock<Openings> = LazyLock::new(|| {
    Openings::of(&[
        "step|let me|let's|now let|now i|i'll|i will|i'm going to|i am going to|i need to|next,",
        "next i|first,|first let|first i|looking at|checking|now |time to|wait|hmm",
        "actually, let|good, let|ok, let|then i'll|let us|actually, i|i see |i realize|i notice",
        "i've reached|i've got|i have reached|operation stopped|i have gathered|i have enough|i now have|based on my|as expected,|voy a|déjame|ahora voy|vamos a ver",
        "ich werde|ich schaue|lass mich|als nächstes|je vais|laissez-moi|maintenant je|vou ",
        "deixe-me|agora vou|让我|我来|我先|我将|现在我|接下来|まず|次に",
    ])
});

/// Words of approval or courtesy that carry nothing.
pub(super) static COURTESIES: LazyLock<Openings> = LazyLock::new(|| {
    Openings::of(&[
        "good points|perfect|great|good|excellent|sure|ok|okay|got it|done|understood|absolutely",
        "of course|certainly|you're right|you are right|good point|good catch|nice|thanks",
        "thank you|sorry|yes|no response requested|i see|right|alright|interesting|perfecto",
        "claro|listo|hecho|vale|de acuerdo|gut|alles klar|natürlich|erledigt|fertig|parfait",
        "d'accord|bien sûr|c'est fait|perfeito|pronto|feito|好的|好|完成|はい|了解",
    ])
});

/// Offers and questions at the end of an answer.
pub(super) static OFFERS: LazyLock<Openings> = LazyLock::new(|| {
    Openings::of(&[
        "let me know|would you like|do you want|shall i|should i|feel free|want me to",
        "is there anything|if you want|if you'd like|if you need|i can also|happy to",
        "anything else|which approach|what would you|how would you|ready to|you're right to",
        "you are right to|generated with|co-authored-by|dime si|avísame|quieres que|¿quieres",
        "möchtest du|soll ich|sag mir|sag bescheid|veux-tu|voulez-vous|dites-moi",
        "souhaitez-vous|quer que|me avise|如果需要|需要我",
    ])
});

/// Openings of announcements of a list.
pub(super) static ANNOUNCEMENTS: LazyLock<Openings> = LazyLock::new(|| {
    Openings::of(&[
        "here's|here is|here are|summary|the following|aquí está|aquí tienes|hier ist",
        "hier sind|voici|aqui está|以下|changes made|what changed|key changes|in summary",
        "to summarize|resumen|zusammenfassung|résumé|resumo|总结",
    ])
});

/// Courtesies before a request.
pub(super) static PLEASANTRIES: LazyLock<Openings> = LazyLock::new(|| {
    Openings::of(&[
        "hi|hello|hey|hello claude|hey claude|hi claude|claude|good morning|thanks|thank you",
        "thx|great|perfect|awesome|nice|cool|ok|okay|yes|no|sure|now|so|and|but|well|also",
        "then|alright|please|pls|hmm|sorry|hola|buenas|buenos días|gracias|por favor|hallo",
        "guten tag|guten morgen|danke|bitte|bonjour|salut|merci|s'il te plaît|s'il vous plaît",
        "olá|oi|obrigado|obrigada|dear all|hi all|hello all|你好|请|こんにちは|question:|yeah|yep",
        "i might be wrong, but|i think|i believe|maybe|i wonder if|i wonder",
    ])
});

/// Forms of asking, after which the thing asked for stands.
pub(super) static REQUESTS: LazyLock<Openings> = LazyLock::new(|| {
    Openings::of(&[
        "can you please|can you help me to|can you help me|can you also|can you",
        "could you please|could you also|could you|would you please|would you|will you",
        "i want you to|i would like you to|i'd like you to|i would like to|i'd like to",
        "i want to|i need you to|i need to|we need to|we want to|we should|we are going to",
        "we're going to|i think we should|you should|let's try to|let's|lets|let us",
        "help me to|help me|go ahead and|your task is to|your job is to|the task is to",
        "the goal is to|task:|goal:|puedes|podrías|quiero que|necesito que|quiero|necesito",
        "kannst du bitte|kannst du|könntest du|können sie|ich möchte|ich will|wir müssen",
        "peux-tu|pouvez-vous|pourrais-tu|je veux|je voudrais|il faut|você pode|pode|quero",
        "preciso|帮我|请帮我|我想|我要|can we|could we|tell me|show me|plan:|implementation plan:",
        "feature:|feature request:|bug:",
    ])
});

/// What introduces a thing to look at, before or after the request proper.
pub(super) static POINTERS: LazyLock<Openings> = LazyLock::new(|| {
    Openings::of(&[
        "read |look at|take a look|see |check out|here is|here's|here are|attached|this is",
        "i got this|for context|context:|lee |mira |lies |schau|lis |regarde|leia |你看",
        "i forgot|building|let me",
    ])
});

/// Prompts that only move the agent on.
pub(super) static NUDGES: LazyLock<Openings> = LazyLock::new(|| {
    Openings::of(&[
        "continue|go on|go ahead|proceed|keep going|do it|do that|sounds good|looks good|lgtm",
        "that's fine|try again|again|retry|commit|push|ship it|run it|are you able to",
        "this is really helpful|what do you think|sigue|continúa|adelante|weiter|mach weiter",
        "vas-y|continua|pode continuar|继续|続けて",
    ])
});

/// Openings that say that something is wanted.
pub(super) static GOALS: LazyLock<Openings> = LazyLock::new(|| {
    Openings::of(&[
        "fix|add|implement|create|write|make|update|change|remove|replace|refactor|build",
        "deploy|migrate|investigate|debug|test|review|explain|find|why|how|what|where|rename",
        "move|use|set up|configure|convert|improve|optimize|optimise|document|design|plan",
        "install|upgrade|delete|merge|port|support|enable|disable|export|import|spawn|perform",
        "arregla|añade|crea|cambia|haz|por qué|cómo|behebe|füge|erstelle|ändere|warum|wie",
        "corrige|ajoute|crée|pourquoi|comment|corrija|adicione|crie|修复|添加|实现|为什么|なぜ|adjust",
        "switch|send|extend|integrate|simplify|clean up|search|look for|check|analyze|analyse",
        "suggest",
    ])
});

/// Signs of a complaint: what does not work is what the work is about.
pub(super) static TROUBLES: LazyLock<Phrases> = LazyLock::new(|| {
    Phrases::any_case(&[
        "fail|error|broken|doesn't|does not|don't work|not work|bug|crash|wrong|reject",
        "missing|timeout|slow|can't|cannot|falla|no funciona|fehler|funktioniert nicht|erreur",
        "ne fonctionne pas|ne marche pas|não funciona|erro|报错|失败|错误|エラー|失敗",
    ])
});

/// English verbs that open a request: "How to" goes before them.
pub(super) static VERBS: LazyLock<Openings> = LazyLock::new(|| {
    Openings::of(&[
        "fix|add|implement|create|write|make|update|change|remove|replace|refactor|build",
        "deploy|migrate|investigate|debug|test|rename|move|use|set up|configure|convert",
        "improve|optimize|optimise|document|design|install|upgrade|delete|merge|port|support",
        "enable|disable|export|import|run|split|cache|reduce|increase|allow|prevent|handle",
        "show|generate|parse|validate|publish|name|store|detect|restore|revert|plan|adjust",
        "switch|send|extend|integrate|simplify|clean up|search|review|perform|spawn|find",
        "suggest|correct|check",
    ])
});

/// Openings of questions about the moment, which mean nothing later.
pub(super) static OF_THE_MOMENT: LazyLock<Openings> = LazyLock::new(|| {
    Openings::of(&[
        "are they|is it|is that|is this|was it|did you|do you|have you|are you|were you",
        "what's next|what about|anything else|why won't you|why did you|why are you",
        "what are you|how about|so |should i|should we|shall we|what do you think",
        "what happened|does it|does that|will it|what now|ok|really|can we|right|can you",
        "could you|isn't it|don't we|we do",
    ])
});

/// Words that point at something that stood on the screen.
pub(super) static POINTING: LazyLock<Openings> =
    LazyLock::new(|| Openings::of(&["this|that|it|me|again|they|them|these|those|here|you|there"]));

/// What people write in mails out of politeness.
pub(super) static CIVILITIES: LazyLock<Openings> = LazyLock::new(|| {
    Openings::of(&[
        "thanks|thank you|many thanks|hi|hello|hey|dear|hope you|i hope you|i hope this|regards",
        "best|kind regards|best regards|cheers|sincerely|looking forward|have a nice|please find",
        "welcome|great|perfect|sorry for|danke|vielen dank|hallo|guten|liebe|lieber|viele grüße",
        "mit freundlichen|beste grüße|sehr geehrte|gracias|muchas gracias|hola|buenos|buenas",
        "saludos|un saludo|quedo a|estimado|estimada|merci|bonjour|cordialement|bien à vous",
        "bien cordialement|obrigado|obrigada|muito obrigado|olá|bom dia|boa tarde|atenciosamente",
        "abraços|谢谢|感谢|您好|你好|此致|祝好|お世話になって|いつもお世話|よろしくお願い|ありがとう",
        "お疲れ様",
    ])
});

/// Signs that a sentence that compares tells what is done, and not only what is so.
pub(super) static SETTLES: LazyLock<Phrases> = LazyLock::new(|| {
    Phrases::any_case(&[
        " use | uses | used | using | keep | keeps | kept | chose | choose | switch| moved | store",
        "we | let's |i'll | i now | read | reads | write| go with | take | takes | send",
    ])
});

/// What opens a sentence that tells a change.
pub(super) static CHANGES: LazyLock<Openings> = LazyLock::new(|| {
    Openings::of(&[
        "changed|removed|replaced|renamed|switched|moved|kept|we|i use|i kept|i chose|i switched|i replaced|i changed|i moved|i went",
    ])
});

/// What opens a person's order that settles how a thing is done.
pub(super) static ORDERS: LazyLock<Openings> = LazyLock::new(|| {
    Openings::of(&["use|keep|let's|don't|do not|never|always|switch|replace|store|avoid"])
});

/// Labels of findings in a review, by how grave they are.
pub(super) static GRAVITY: LazyLock<Openings> = LazyLock::new(|| {
    Openings::of(&[
        "high|medium|low|critical|major|minor|nit|blocker|severity|p0|p1|p2|p3|[p0]|[p1]|[p2]|[p3]",
        "[high]|[medium]|[low]|finding|issue",
    ])
});

/// Words that point at what was said before.
pub(super) static DEICTIC: LazyLock<Openings> =
    LazyLock::new(|| Openings::of(&["this|that|that's|these|those|it's|actually"]));

/// A person's requests in the form of questions.
pub(super) static COULD: LazyLock<Openings> =
    LazyLock::new(|| Openings::of(&["can|could|would|will you|puedes|kannst|peux-tu|pode"]));

/// Forms of asking that close a sentence and add nothing.
pub(super) const TAILS: &[&str] = &[
    ", can you help me do that",
    ", can you help me with that",
    ", can you do that",
    ", can you help me",
    ", can you",
    ", please",
    " please",
    ", okay",
    ", ok",
    ", right",
    ", por favor",
    ", bitte",
    " bitte",
    ", s'il te plaît",
    ", s'il vous plaît",
];

/// Words that stand for things named elsewhere.
pub(super) static REFERRING: LazyLock<Openings> =
    LazyLock::new(|| Openings::of(&["them|it|this|that|these|those|they"]));

/// Signs of an error in a line of output, the telling ones first.
pub(super) static SIGNS: LazyLock<Phrases> = LazyLock::new(|| {
    Phrases::exact(&[
        "panicked at|: error TS| error: |command not found|No such file|ermission denied|not found|assertion |expected|cannot |can't ",
        "Cannot |Could not|could not|undefined|refused|timed out|imeout|denied|nvalid",
        "unexpected|failed|Failed|missing|not allowed|does not|error|Error|FAIL",
    ])
});

/// Openings of conditions, which ask nothing by themselves.
pub(super) static IF: LazyLock<Openings> =
    LazyLock::new(|| Openings::of(&["if|when|once|si|wenn|falls|quand|se|quando|如果"]));

/// Signs that a sentence is not certain of what it says.
pub(super) static DOUBTS: LazyLock<Phrases> =
    LazyLock::new(|| Phrases::any_case(&[" would | could | might |maybe|perhaps|i think"]));

/// Forms of asking within a sentence: what goes before them is the occasion.
pub(super) static MIDWAY: LazyLock<Phrases> = LazyLock::new(|| {
    Phrases::any_case(&[
        " can you please | could you please | can you | could you | would you | please | i want to ",
        " i want you to | i'd like to | i would like to | i need to | we need to | we should ",
    ])
});
