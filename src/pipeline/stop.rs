//! Telling a run to end.

use std::time::Duration;

use tokio::sync::watch;

/// How long a run that is told to end waits for the unit in hand and the calls under way.
const IN_HAND: Duration = Duration::from_secs(8);

/// Hears when a run should end: it finishes the unit in hand, if that takes seconds, and returns.
#[derive(Debug, Clone)]
pub struct Stop(watch::Receiver<bool>);

/// Tells all who hear that they should end. Dropping it tells nothing.
#[derive(Debug)]
pub struct Stopper(watch::Sender<bool>);

impl Stop {
    /// One end that tells and one that hears.
    #[must_use]
    pub fn channel() -> (Stopper, Self) {
        let (sender, receiver) = watch::channel(false);
        (Stopper(sender), Self(receiver))
    }

    /// One that never hears anything.
    #[must_use]
    pub fn never() -> Self {
        Self::channel().1
    }

    /// Whether it was told.
    #[must_use]
    pub fn is_told(&self) -> bool {
        *self.0.borrow()
    }

    /// Waits until it is told, and then as long as what is in hand may take.
    pub(super) async fn given_up(mut self) {
        self.told().await;
        tokio::time::sleep(IN_HAND).await;
    }

    /// Waits until it is told; for ever when nobody is left who could tell.
    pub async fn told(&mut self) {
        if self.0.wait_for(|told| *told).await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

impl Stopper {
    /// Tells all who hear.
    pub fn tell(&self) {
        self.0.send_replace(true);
    }
}
