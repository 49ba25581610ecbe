//! The calls of MPI, which `calls.c` makes.

use std::ffi::{CStr, c_char, c_int, c_void};

/// Bytes of one message at most: MPI counts with 32 bits.
const PIECE: usize = 1 << 30;

mod c {
    use super::{c_char, c_int, c_void};

    unsafe extern "C" {
        pub fn gage_mpi_start(
            rank: *mut c_int,
            size: *mut c_int,
            host: *mut c_char,
            length: c_int,
        ) -> c_int;
        pub fn gage_mpi_end();
        pub fn gage_mpi_abort(code: c_int) -> !;
        pub fn gage_mpi_exchange(
            rank: c_int,
            size: c_int,
            send: *const *const c_void,
            sent: *const usize,
            receive: *const *mut c_void,
            received: *const usize,
            piece: usize,
        ) -> c_int;
    }
}

/// MPI, started. Calls from several threads must not be made at a time.
pub struct Mpi {
    pub rank: usize,
    pub size: usize,
    pub host: String,
}

impl Mpi {
    /// Starts MPI; what is wrong otherwise.
    pub fn start() -> Result<Mpi, &'static str> {
        let (mut rank, mut size, mut host) = (0, 0, [0 as c_char; 256]);
        // SAFETY: the pointers are to as much as the function writes.
        let outcome = unsafe { c::gage_mpi_start(&mut rank, &mut size, host.as_mut_ptr(), 256) };
        match outcome {
            0 => {}
            1 => return Err("MPI was started already"),
            _ => return Err("this MPI takes calls of one thread only; use one built for threads"),
        }
        // SAFETY: the function has ended the name with a zero.
        let host = unsafe { CStr::from_ptr(host.as_ptr()) }.to_string_lossy().into_owned();
        Ok(Mpi { rank: rank as usize, size: size as usize, host })
    }

    /// Ends all processes of the job.
    pub fn abort(&self) -> ! {
        // SAFETY: MPI was started.
        unsafe { c::gage_mpi_abort(1) }
    }

    /// Sends one message to every other process and receives one of each; whether that worked.
    pub fn exchange(&self, send: &[&[u8]], receive: &mut [&mut [u8]]) -> bool {
        assert!(send.len() == self.size && receive.len() == self.size, "one message for each");
        let sent: Vec<usize> = send.iter().map(|message| message.len()).collect();
        let received: Vec<usize> = receive.iter().map(|message| message.len()).collect();
        let send: Vec<*const c_void> = send.iter().map(|message| message.as_ptr().cast()).collect();
        let receive: Vec<*mut c_void> =
            receive.iter_mut().map(|message| message.as_mut_ptr().cast()).collect();
        let (rank, size) = (self.rank as c_int, self.size as c_int);
        // SAFETY: MPI was started; there are as many pointers and sizes as processes, and the
        // messages live until the function returns, which is after all of them were transferred.
        let failed = unsafe {
            c::gage_mpi_exchange(
                rank,
                size,
                send.as_ptr(),
                sent.as_ptr(),
                receive.as_ptr(),
                received.as_ptr(),
                PIECE,
            )
        };
        failed == 0
    }
}

impl Drop for Mpi {
    fn drop(&mut self) {
        // SAFETY: MPI was started, and nobody has it any more.
        unsafe { c::gage_mpi_end() }
    }
}
