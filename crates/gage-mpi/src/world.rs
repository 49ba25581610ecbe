//! The processes of an MPI job as workers of a fit.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{anyhow, bail, ensure};
use gage_core::fingerprint::Hash;
use gage_linalg::Reducer;

use crate::calls::Mpi;
use crate::failure;

/// What launchers say about the number of processes.
const LAUNCHERS: [&str; 4] =
    ["OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS"];

/// All processes of the job.
pub struct World {
    rank: usize,
    size: usize,
    host: String,
    /// One call at a time.
    mpi: Mutex<Mpi>,
    announced: Mutex<Hash>,
    sent: AtomicU64,
    nanoseconds: AtomicU64,
}

impl World {
    /// Starts MPI.
    pub fn start() -> anyhow::Result<World> {
        let mpi = Mpi::start().map_err(|reason| anyhow!(reason))?;
        let (rank, size, host) = (mpi.rank, mpi.size, mpi.host.clone());
        let claimed = LAUNCHERS.iter().find_map(|name| {
            let count: usize = std::env::var(name).ok()?.parse().ok()?;
            (count > 1 && size == 1).then_some((*name, count))
        });
        if let Some((name, count)) = claimed {
            bail!(
                "the launcher started {count} processes ({name}), but each of them is alone: this \
                 program was built with another MPI than the one that started it. Build it with \
                 the MPI of the launcher (`mpicc` and `mpirun` of one installation)"
            );
        }
        Ok(World {
            rank,
            size,
            host,
            mpi: Mutex::new(mpi),
            announced: Mutex::new(Hash::default()),
            sent: AtomicU64::new(0),
            nanoseconds: AtomicU64::new(0),
        })
    }

    /// This process, in messages.
    pub fn origin(&self) -> String {
        format!("rank {} of {} on {}", self.rank, self.size, self.host)
    }

    /// Bytes sent to others.
    pub fn bytes_sent(&self) -> u64 {
        self.sent.load(Ordering::Relaxed)
    }

    /// Seconds spent in exchanges, waiting for others included.
    pub fn exchange_seconds(&self) -> f64 {
        self.nanoseconds.load(Ordering::Relaxed) as f64 * 1e-9
    }

    /// A panic of one process would leave the others waiting for ever.
    pub fn end_all_on_panic(&self) {
        let origin = self.origin();
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            // Running out of memory is caught further up and becomes an error.
            if panic.payload().downcast_ref::<gage_linalg::memory::OutOfMemory>().is_some() {
                return;
            }
            before(panic);
            eprintln!("error: {origin}: ended by a panic, and with it the job");
            std::process::abort();
        }));
    }

    /// Says what went wrong and ends all processes.
    pub fn fail(&self, error: &anyhow::Error) -> ! {
        // Of errors that all processes meet, the first one speaks.
        if self.rank > 0 {
            std::thread::sleep(Duration::from_millis(700));
        }
        let origin = (self.size > 1).then(|| self.origin());
        eprintln!("{}", failure::text(error, origin.as_deref()));
        self.end()
    }

    /// Ends all processes.
    fn end(&self) -> ! {
        match self.mpi.try_lock() {
            Ok(mpi) => mpi.abort(),
            // The launcher notices a process that ends like this.
            Err(_) => std::process::abort(),
        }
    }

    /// Checks that all processes have the same: of what, and its hash.
    pub fn agree(&self, what: &str, hash: u64) -> anyhow::Result<()> {
        let this: &dyn Reducer = self;
        let all = this.gather_u64(&[hash]);
        ensure!(
            all[self.rank] == all[0],
            "{what} differs from that of rank 0; all processes must run the same program on the \
             same shards"
        );
        // The rank that differs tells; the others wait for the end.
        if all.iter().any(|other| *other != all[0]) {
            std::thread::sleep(Duration::from_secs(5));
            bail!("{what} of another rank differs from that of rank 0");
        }
        Ok(())
    }

    /// Whether exchanges are checked for being of one kind and size.
    fn is_checked() -> bool {
        cfg!(debug_assertions)
    }
}

impl Reducer for World {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.size
    }

    fn announce(&self, kind: &'static str, size: usize) {
        if World::is_checked()
            && let Ok(mut hash) = self.announced.lock()
        {
            hash.bytes(kind.as_bytes());
            hash.word(size as u64);
        }
    }

    fn exchange(&self, send: &[&[u8]], receive: &mut [&mut [u8]]) {
        if self.size == 1 {
            return;
        }
        let clock = Instant::now();
        let announced = self.announced.lock().map(|hash| hash.text_form()).unwrap_or_default();
        let mut same = true;
        let done = self.mpi.lock().is_ok_and(|mpi| {
            if World::is_checked() {
                let mut others = vec![vec![0u8; announced.len()]; self.size];
                let own = vec![announced.as_bytes(); self.size];
                let mut parts: Vec<&mut [u8]> = others.iter_mut().map(Vec::as_mut_slice).collect();
                same = mpi.exchange(&own, &mut parts);
                others[self.rank] = announced.clone().into_bytes();
                same &= others.iter().all(|other| other == announced.as_bytes());
            }
            same && mpi.exchange(send, receive)
        });
        if !done {
            self.abort(if same {
                "MPI could not exchange messages"
            } else {
                "out of step (a bug)"
            });
        }
        let bytes: usize =
            send.iter().enumerate().filter(|(to, _)| *to != self.rank).map(|(_, m)| m.len()).sum();
        self.sent.fetch_add(bytes as u64, Ordering::Relaxed);
        self.nanoseconds.fetch_add(clock.elapsed().as_nanos() as u64, Ordering::Relaxed);
    }

    fn abort(&self, reason: &str) -> ! {
        eprintln!("error: {}: {reason}", self.origin());
        self.end()
    }
}
