//! The practice forge in a thread of its own: neither a busy test nor a blocked one can starve it.

use std::sync::mpsc;
use std::thread::JoinHandle;

use lockstep_forge::{Control, Forge, ForgeHandle, ForgeOptions, Journal};
use tokio::sync::oneshot;

/// A running practice forge. Dropping it stops it.
#[derive(Debug)]
pub struct Practice {
    handle: Option<ForgeHandle>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Practice {
    /// Starts one.
    ///
    /// # Panics
    /// It does not start.
    #[must_use]
    pub fn start(options: ForgeOptions) -> Self {
        let (ready, is_ready) = mpsc::channel();
        let (stop, stopped) = oneshot::channel::<()>();
        let thread = std::thread::Builder::new()
            .name("practice-forge".to_owned())
            .spawn(move || {
                let runtime = tokio::runtime::Builder::new_multi_thread()
                    .worker_threads(2)
                    .enable_all()
                    .build()
                    .expect("a runtime for the practice forge");
                runtime.block_on(async {
                    let handle = Forge::start(options).await.expect("the practice forge starts");
                    ready.send(handle).expect("the test waits for the practice forge");
                    // An error means that the owner is gone: stop as well.
                    drop(stopped.await);
                });
                runtime.shutdown_background();
            })
            .expect("a thread for the practice forge");
        let handle = is_ready.recv().expect("the practice forge starts");
        Self { handle: Some(handle), stop: Some(stop), thread: Some(thread) }
    }

    /// The running forge.
    ///
    /// # Panics
    /// Never while the value lives.
    #[must_use]
    pub fn handle(&self) -> &ForgeHandle {
        self.handle.as_ref().expect("the forge lives as long as this value")
    }

    /// Answers nobody any more: connections are refused. What was there can still be looked at.
    pub fn stop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // A forge that panicked has nothing left to wait for.
            let _ended = thread.join();
        }
    }

    /// Everything that a person could do on GitHub's pages.
    #[must_use]
    pub fn control(&self) -> &Control {
        self.handle().control()
    }

    /// The requests so far.
    #[must_use]
    pub fn journal(&self) -> Journal {
        self.handle().journal()
    }
}

impl Drop for Practice {
    fn drop(&mut self) {
        drop(self.handle.take());
        self.stop();
    }
}
