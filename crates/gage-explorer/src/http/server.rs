//! Listening on loopback, one thread for each connection.

use std::io::{BufWriter, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use super::guard::Guard;
use super::request::{Broken, Request, read_body, read_head};
use super::response::Response;
use super::token::Token;
use crate::error::ExplorerError;

/// Connections at once; a browser opens six.
const MOST_CONNECTIONS: usize = 64;
/// Longest silence of the other side.
const SILENCE: Duration = Duration::from_secs(20);

/// What answers requests that passed the guard.
pub trait Handler: Send + Sync + 'static {
    /// The answer.
    fn answer(&self, request: &Request) -> Response;
}

/// A server for the page of one run, on the loopback interface only.
///
/// Every request must name this server as its host, must not come from another site, and must carry
/// the token of this run, which stands in the fragment of [`url`](Self::url) and therefore never
/// travels by itself. There is no access from other origins, and a strict content policy keeps the
/// page from loading anything from anywhere else. Requests have a largest size and a longest time.
pub struct Server {
    listener: TcpListener,
    port: u16,
    token: Token,
}

impl Server {
    /// Takes a port of this machine: the given one, or any that is free.
    pub fn bind(port: Option<u16>) -> Result<Server, ExplorerError> {
        let port = port.unwrap_or(0);
        let fail = |source| ExplorerError::Listen { port, source };
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(fail)?;
        let port = listener.local_addr().map_err(fail)?.port();
        Ok(Server { listener, port, token: Token::random()? })
    }

    /// The address of the page, with the token in its fragment.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}/#token={}", self.port, self.token.as_str())
    }

    /// The port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Starts to answer.
    pub fn start(self, handler: Arc<dyn Handler>) -> Result<Running, ExplorerError> {
        let Server { listener, port, token } = self;
        let site = Arc::new(Site {
            guard: Guard::new(port, token),
            handler,
            open: AtomicUsize::new(0),
            stopped: AtomicBool::new(false),
        });
        let own = Arc::clone(&site);
        let accept = move || own.accept(&listener);
        let thread = thread::Builder::new().name("accept".to_owned()).spawn(accept);
        Ok(Running { site, port, thread: Some(thread.map_err(ExplorerError::Thread)?) })
    }
}

/// A server that answers until it is dropped.
pub struct Running {
    site: Arc<Site>,
    port: u16,
    thread: Option<JoinHandle<()>>,
}

impl Drop for Running {
    fn drop(&mut self) {
        self.site.stopped.store(true, Ordering::SeqCst);
        // Wakes the thread that waits for a connection.
        drop(TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)));
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

struct Site {
    guard: Guard,
    handler: Arc<dyn Handler>,
    open: AtomicUsize,
    stopped: AtomicBool,
}

impl Site {
    fn accept(self: &Arc<Site>, listener: &TcpListener) {
        for stream in listener.incoming() {
            if self.stopped.load(Ordering::SeqCst) {
                return;
            }
            // A connection that broke at once is nobody's loss.
            let Ok(stream) = stream else { continue };
            let connection = Connection::open(self, stream);
            if self.open.load(Ordering::SeqCst) > MOST_CONNECTIONS {
                connection.refuse();
                continue;
            }
            let serve = move || connection.serve();
            // Without a thread the connection is closed, and the page tries again.
            let _ = thread::Builder::new().name("connection".to_owned()).spawn(serve);
        }
    }

    /// What to answer once the head is known: the guard comes before the body.
    fn answer(
        &self,
        stream: &mut TcpStream,
        left: &mut Vec<u8>,
    ) -> Result<(Response, bool), Broken> {
        let mut request = read_head(stream, left)?;
        self.guard.check(&request)?;
        read_body(stream, left, &mut request)?;
        let keep = request.keep && !self.stopped.load(Ordering::SeqCst);
        Ok((self.handler.answer(&request), keep))
    }
}

/// One connection; counted while it lives.
struct Connection {
    site: Arc<Site>,
    stream: TcpStream,
}

impl Connection {
    fn open(site: &Arc<Site>, stream: TcpStream) -> Connection {
        site.open.fetch_add(1, Ordering::SeqCst);
        Connection { site: Arc::clone(site), stream }
    }

    fn refuse(mut self) {
        let _ = self.stream.set_write_timeout(Some(SILENCE));
        let _ = Response::error(503, "too many connections").write(&mut self.stream, false);
    }

    /// Answers requests until one side has had enough. Failures to read or write mean that the
    /// other side left.
    fn serve(mut self) {
        let _ = self.stream.set_read_timeout(Some(SILENCE));
        let _ = self.stream.set_write_timeout(Some(SILENCE));
        let _ = self.stream.set_nodelay(true);
        let mut left = Vec::new();
        loop {
            let (response, keep) = match self.site.answer(&mut self.stream, &mut left) {
                Ok(answer) => answer,
                Err(Broken::Refused(response)) => (response, false),
                Err(Broken::Gone) => return,
            };
            let mut out = BufWriter::with_capacity(1 << 16, &self.stream);
            if response.write(&mut out, keep).and_then(|()| out.flush()).is_err() {
                return;
            }
            drop(out);
            if !keep {
                return self.close();
            }
        }
    }

    /// Ends the connection so that the answer arrives: what the other side is still sending is read
    /// and forgotten for a moment, else the system would throw the answer away with it.
    fn close(mut self) {
        use std::io::Read;
        let _ = self.stream.shutdown(Shutdown::Write);
        let _ = self.stream.set_read_timeout(Some(Duration::from_millis(200)));
        let mut sink = [0; 16 << 10];
        for _ in 0..1024 {
            match self.stream.read(&mut sink) {
                Ok(length) if length > 0 => {}
                _ => return,
            }
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.site.open.fetch_sub(1, Ordering::SeqCst);
    }
}
