//! Long work beside Python: the calling thread waits without holding the interpreter, looks after
//! Ctrl-C, and passes progress on.
//!
//! The work owns everything it needs, so a call that is interrupted can return at once, even in the
//! middle of a long pass over the data: the abandoned work ends by itself before its next pass, and
//! touches nothing of Python.
//!
//! Nothing runs on Rayon's global threads. A process that `fork` made, as Python's multiprocessing
//! does, has a copy of their names but none of them, and would wait for them forever; the threads
//! of this module are made anew in such a process.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use gage_embed::eval::EvalObserver;
use gage_embed::linalg::memory::catch;
use gage_embed::{Observer, Progress, check_threads};
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::errors::BindingError;

/// How often signals are looked after.
const TICK: Duration = Duration::from_millis(50);
/// How long interrupted work may take to end by itself before it is left behind.
const PATIENCE: Duration = Duration::from_millis(300);
/// What a thread may use for the sequential parts.
const STACK: usize = 16 << 20;

/// What the work tells the thread that waits.
#[derive(Default)]
pub(crate) struct Watch {
    cancelled: AtomicBool,
    news: Mutex<Unread>,
}

/// Where the work stands.
#[derive(Clone, Copy, Default)]
struct News {
    fit: Option<Progress>,
    steps: Option<(usize, usize)>,
}

/// What has not been passed on yet: the last news of every stage, so that even short work is
/// reported stage by stage.
#[derive(Default)]
struct Unread {
    now: News,
    of_stages: Vec<News>,
}

impl Watch {
    fn tell(&self, change: impl FnOnce(&mut News)) {
        let mut unread = self.news.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut unread.now);
        let (now, stage) = (unread.now, |news: &News| news.fit.map(|fit| fit.stage));
        match unread.of_stages.last_mut() {
            Some(last) if stage(last) == stage(&now) => *last = now,
            _ => unread.of_stages.push(now),
        }
    }

    fn news(&self) -> Vec<News> {
        let mut unread = self.news.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut unread.of_stages)
    }
}

impl Observer for Watch {
    fn progress(&self, progress: &Progress) {
        self.tell(|news| news.fit = Some(*progress));
    }
    fn cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }
}

impl EvalObserver for Watch {
    fn step(&self, done: usize, planned: usize) {
        self.tell(|news| news.steps = Some((done, planned)));
    }
}

/// How a piece of work runs: on how many threads, and who hears of its progress.
pub(crate) struct Terms {
    /// Threads; all processors if `None`.
    pub(crate) threads: Option<usize>,
    /// Called with `(stage, done, planned, loss)`.
    pub(crate) report: Option<Py<PyAny>>,
}

type Outcome<T> = Result<T, BindingError>;

/// Runs work on a thread of its own and waits for it.
pub(crate) fn run<T, W>(py: Python<'_>, terms: &Terms, work: W) -> PyResult<T>
where
    T: Send + 'static,
    W: FnOnce(&Watch) -> Outcome<T> + Send + 'static,
{
    let watch = Arc::new(Watch::default());
    let (sender, receiver) = channel();
    let (threads, seen) = (terms.threads, Arc::clone(&watch));
    let job = move || {
        let outcome = caught(|| on_threads(threads, || work(&seen)));
        // Nobody waits any more after an interruption.
        let _ = sender.send(outcome);
    };
    let spawned = std::thread::Builder::new().name("gage".to_owned()).stack_size(STACK).spawn(job);
    spawned.map_err(|error| BindingError::Os(format!("cannot start a thread: {error}")))?;
    let receiver = Mutex::new(receiver);
    loop {
        match wait(py, &receiver, TICK) {
            Some(outcome) => {
                let done = outcome.map_err(PyErr::from)?;
                return report(py, terms, &watch).map(|()| done);
            }
            None => {
                let checked = py.check_signals().and_then(|()| report(py, terms, &watch));
                if let Err(error) = checked {
                    watch.cancelled.store(true, Ordering::Relaxed);
                    let _ = wait(py, &receiver, PATIENCE);
                    return Err(error);
                }
            }
        }
    }
}

/// The outcome, if it comes in time; Python's other threads run meanwhile.
fn wait<T: Send>(
    py: Python<'_>,
    receiver: &Mutex<Receiver<Outcome<T>>>,
    time: Duration,
) -> Option<Outcome<T>> {
    py.detach(|| {
        let receiver = receiver.lock().unwrap_or_else(PoisonError::into_inner);
        match receiver.recv_timeout(time) {
            Ok(outcome) => Some(outcome),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => {
                Some(Err(BindingError::Internal("the work ended without a result".to_owned())))
            }
        }
    })
}

fn report(py: Python<'_>, terms: &Terms, watch: &Watch) -> PyResult<()> {
    let Some(callable) = &terms.report else { return Ok(()) };
    for news in watch.news() {
        let loss = news.fit.and_then(|fit| fit.relative_loss);
        let stage = news.fit.map(|fit| format!("{:?}", fit.stage)).unwrap_or_default();
        let fit = news.fit.map_or((0, 0), |fit| (fit.passes, fit.planned_passes));
        let (done, planned) = news.steps.unwrap_or(fit);
        callable.call1(py, (stage, done, planned, loss))?;
    }
    Ok(())
}

fn on_threads<T: Send>(
    threads: Option<usize>,
    work: impl FnOnce() -> Outcome<T> + Send,
) -> Outcome<T> {
    match threads {
        None => own_threads()?.install(work),
        Some(threads) => {
            // 0 is as many as there are processors.
            check_threads(threads.max(1))?;
            pool(threads)?.install(work)
        }
    }
}

/// Short work on the threads of this process; the caller waits, and holds the interpreter.
pub(crate) fn run_attached<T, E>(work: impl FnOnce() -> Result<T, E> + Send) -> Outcome<T>
where
    T: Send,
    BindingError: From<E>,
{
    caught(|| on_threads(None, || work().map_err(BindingError::from)))
}

/// Short work on the threads of this process, while Python's other threads run.
pub(crate) fn run_detached<T, E>(
    py: Python<'_>,
    work: impl FnOnce() -> Result<T, E> + Send,
) -> Outcome<T>
where
    T: Send,
    BindingError: From<E>,
{
    py.detach(|| run_attached(work))
}

/// The outcome; a panic is a mistake of this library, and an ordinary exception in Python. Running
/// out of memory is an error of its own.
fn caught<T>(work: impl FnOnce() -> Outcome<T>) -> Outcome<T> {
    let work = || catch(work).unwrap_or_else(|lack| Err(lack.into()));
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or(panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
        Err(BindingError::Internal(text.unwrap_or_default()))
    })
}

/// The threads of this process; those of the process it was forked from are left alone, since they
/// are not here.
fn own_threads() -> Outcome<Arc<ThreadPool>> {
    static OWN: Mutex<Option<(u32, Arc<ThreadPool>)>> = Mutex::new(None);
    let mut own = OWN.lock().unwrap_or_else(PoisonError::into_inner);
    let process = std::process::id();
    match &*own {
        Some((maker, threads)) if *maker == process => Ok(Arc::clone(threads)),
        _ => {
            let threads = Arc::new(pool(0)?);
            // Ending threads that do not exist would wait for them, too.
            std::mem::forget(own.replace((process, Arc::clone(&threads))));
            Ok(threads)
        }
    }
}

/// So many threads; as many as there are processors, or as `RAYON_NUM_THREADS` says, for 0.
fn pool(threads: usize) -> Outcome<ThreadPool> {
    ThreadPoolBuilder::new()
        .num_threads(threads)
        .stack_size(STACK)
        .build()
        .map_err(|error| BindingError::Os(format!("cannot start {threads} threads: {error}")))
}
