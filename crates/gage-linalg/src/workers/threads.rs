//! Workers that are threads of one process: for tests of what is spread over processes.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::reducer::Reducer;

/// One of several threads that exchange messages through shared memory. Every exchange checks that
/// all of them announced the same.
#[derive(Debug)]
pub struct ThreadReducer {
    rank: usize,
    team: Arc<Team>,
    announced: Mutex<(&'static str, usize)>,
    sent: AtomicU64,
}

#[derive(Debug)]
struct Team {
    size: usize,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug)]
struct State {
    posts: Vec<Option<Post>>,
    taken: usize,
    aborted: Option<String>,
}

/// What one worker sends.
#[derive(Debug)]
struct Post {
    announced: (&'static str, usize),
    messages: Vec<Vec<u8>>,
}

impl ThreadReducer {
    /// The workers of one team.
    pub fn team(size: usize) -> Vec<ThreadReducer> {
        let posts = (0..size).map(|_| None).collect();
        let state = Mutex::new(State { posts, taken: 0, aborted: None });
        let team = Arc::new(Team { size, state, changed: Condvar::new() });
        let worker = |rank| ThreadReducer {
            rank,
            team: Arc::clone(&team),
            announced: Mutex::new(("", 0)),
            sent: AtomicU64::new(0),
        };
        (0..size).map(worker).collect()
    }

    /// Bytes that this worker has sent to others.
    pub fn bytes_sent(&self) -> u64 {
        self.sent.load(Ordering::Relaxed)
    }

    /// Waits until the state is as wanted.
    ///
    /// # Panics
    ///
    /// If a worker gave up: the others would wait for ever.
    fn wait(&self, wanted: impl Fn(&State) -> bool) -> MutexGuard<'_, State> {
        let mut state = self.team.state.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(reason) = state.aborted.clone() {
                drop(state);
                panic!("worker {}: another one gave up: {reason}", self.rank);
            }
            if wanted(&state) {
                return state;
            }
            state = self.team.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Reducer for ThreadReducer {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.team.size
    }

    fn announce(&self, kind: &'static str, size: usize) {
        *self.announced.lock().unwrap_or_else(PoisonError::into_inner) = (kind, size);
    }

    fn exchange(&self, send: &[&[u8]], receive: &mut [&mut [u8]]) {
        let announced = *self.announced.lock().unwrap_or_else(PoisonError::into_inner);
        let messages = send.iter().map(|message| message.to_vec()).collect();
        let bytes: usize = send.iter().map(|message| message.len()).sum();
        self.sent.fetch_add(bytes as u64, Ordering::Relaxed);
        self.wait(|state| state.posts[self.rank].is_none()).posts[self.rank] =
            Some(Post { announced, messages });
        self.team.changed.notify_all();
        let mut state = self.wait(|state| state.posts.iter().all(Option::is_some));
        for (from, receive) in receive.iter_mut().enumerate() {
            let Some(post) = &state.posts[from] else { continue };
            let message = &post.messages[self.rank];
            if post.announced != announced || message.len() != receive.len() {
                let reason = format!(
                    "workers are out of step: {} does {announced:?} and expects {} bytes, {from} \
                     does {:?} and sends {}",
                    self.rank,
                    receive.len(),
                    post.announced,
                    message.len()
                );
                drop(state);
                self.abort(&reason);
            }
            receive.copy_from_slice(message);
        }
        state.taken += 1;
        if state.taken == self.team.size {
            state.taken = 0;
            state.posts.iter_mut().for_each(|post| *post = None);
            self.team.changed.notify_all();
        }
    }

    fn abort(&self, reason: &str) -> ! {
        let mut state = self.team.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.aborted.get_or_insert_with(|| reason.to_owned());
        drop(state);
        self.team.changed.notify_all();
        panic!("{reason}")
    }
}

impl Drop for ThreadReducer {
    /// The others must not wait for a worker that panicked.
    fn drop(&mut self) {
        if std::thread::panicking() {
            let mut state = self.team.state.lock().unwrap_or_else(PoisonError::into_inner);
            state.aborted.get_or_insert_with(|| format!("worker {} panicked", self.rank));
            drop(state);
            self.team.changed.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Halo, Partition, transposed_rows};
    use super::*;
    use crate::sparse::SparseMatrix;
    use crate::tall::Tall;

    /// What every worker of a team makes.
    fn on_all<R: Send>(size: usize, work: impl Fn(&ThreadReducer) -> R + Sync) -> Vec<R> {
        std::thread::scope(|scope| {
            let team = ThreadReducer::team(size).into_iter();
            let work = &work;
            let handles: Vec<_> = team.map(|worker| scope.spawn(move || work(&worker))).collect();
            handles.into_iter().map(|handle| handle.join().expect("no panic")).collect()
        })
    }

    #[test]
    fn sums_and_maxima_are_the_same_everywhere_and_those_of_the_definition() {
        for size in [1, 2, 3, 5] {
            for count in [0, 1, 7, 300, 1000] {
                let of = |rank: usize| -> Vec<f64> {
                    (0..count).map(|i| ((i * 7 + rank * 3) % 11) as f64 / 3.0).collect()
                };
                let found = on_all(size, |worker| {
                    let worker: &dyn Reducer = worker;
                    let (mut sum, mut max) = (of(worker.rank()), of(worker.rank()));
                    worker.sum_f64(&mut sum);
                    worker.max_f64(&mut max);
                    (sum, max)
                });
                let add = |op: fn(f64, f64) -> f64| -> Vec<f64> {
                    (1..size).fold(of(0), |sum, rank| {
                        sum.iter().zip(of(rank)).map(|(&a, b)| op(a, b)).collect()
                    })
                };
                let expected = (add(|a, b| a + b), add(f64::max));
                assert!(found.iter().all(|found| *found == expected), "{size} {count}");
            }
        }
    }

    #[test]
    fn needed_rows_arrive_in_order_and_contributions_return_to_their_owners() {
        let count = 23usize;
        let needed = |rank: usize| -> Vec<u32> {
            (0..count as u32).filter(|i| (i * 5 + rank as u32 * 7) % 4 < 2).collect()
        };
        for size in [1, 2, 4] {
            let found = on_all(size, |worker| {
                let partition = Partition::even(count, worker);
                let halo = Halo::plan(&partition, needed(worker.rank()), worker);
                let own = partition.own();
                let mut rows = vec![0f64; 2 * halo.touched().len()];
                let fill = |row: usize, out: &mut [f64]| {
                    out.copy_from_slice(&[(own.start + row) as f64, 0.5]);
                };
                halo.gather(2, fill, &mut rows, worker);
                let expected: Vec<f64> =
                    needed(worker.rank()).iter().flat_map(|&at| [f64::from(at), 0.5]).collect();
                assert_eq!(rows, expected);
                let ones = Tall::<f32>::from_rows(halo.touched().len(), 1, |_, out| out[0] = 1.0);
                let counts = halo.add_back(&ones, worker).data().to_vec();
                let values: Vec<f64> = halo.touched().iter().map(|&at| f64::from(at)).collect();
                let back = halo.own_of(&values, worker);
                for (at, (&count, back)) in counts.iter().zip(back).enumerate() {
                    let seen = (own.start + at) as f64;
                    assert_eq!(back, if count > 0.0 { seen } else { 0.0 });
                }
                counts
            });
            let times = |at: u32| (0..size).filter(|&rank| needed(rank).contains(&at)).count();
            let expected: Vec<f32> = (0..count as u32).map(|at| times(at) as f32).collect();
            assert_eq!(found.concat(), expected);
        }
    }

    #[test]
    fn rows_of_the_transpose_are_those_of_the_whole_matrix() {
        let entries: Vec<(u32, u32, f64)> = (0..17u32)
            .flat_map(|i| (0..11u32).map(move |j| (i, j, f64::from(i * 11 + j))))
            .filter(|&(i, j, _)| (i * 3 + j * 5) % 7 < 2)
            .collect();
        let whole = SparseMatrix::from_triplets(17, 11, &entries).unwrap();
        let transposed = whole.transposed();
        for size in [1, 2, 3] {
            on_all(size, |worker| {
                let (rows, cols) = (Partition::even(17, worker), Partition::even(11, worker));
                let own: Vec<u32> = rows.own().map(|row| row as u32).collect();
                let part = whole.select_rows(&own).unwrap();
                let found = transposed_rows(&part, &rows, &cols, worker);
                let own: Vec<u32> = cols.own().map(|row| row as u32).collect();
                assert!(found == transposed.select_rows(&own).unwrap());
            });
        }
    }

    #[test]
    fn workers_out_of_step_are_told_and_do_not_hang() {
        let caught = std::panic::catch_unwind(|| {
            on_all(2, |worker| {
                let worker: &dyn Reducer = worker;
                let mut values = vec![0.0; 3 + worker.rank()];
                worker.sum_f64(&mut values);
            })
        });
        assert!(caught.is_err());
    }
}
