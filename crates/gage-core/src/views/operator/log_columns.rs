//! What rows of new nodes need of a view that is the logarithm of another.

use faer::Mat;
use gage_linalg::kernel::times_small;
use gage_linalg::{Real, Tall};

/// The way from the columns of a logarithm back to those of its source.
#[derive(Clone, Debug)]
pub(crate) struct LogColumns {
    /// The columns of the source that were taken.
    pub(crate) sampled: Vec<u32>,
    /// Of a source that is a block.
    pub(crate) source: Option<SourceColumns>,
    /// The directions that were kept, one row for each sampled column; `None` is all of them.
    pub(crate) directions: Option<Mat<f64>>,
    /// How much of a row its neighbours give.
    pub(crate) spread: f64,
}

/// The columns of a source that is a block.
#[derive(Clone, Debug)]
pub(crate) struct SourceColumns {
    /// How many there are.
    pub(crate) all: usize,
    /// For every sampled one, what one unit in the row of a new node counts for.
    pub(crate) slopes: Vec<f64>,
}

impl LogColumns {
    /// Loadings of the columns of the source, from those of the columns of the view. The logarithm
    /// of the row of a new node is taken for linear, with the slope of a typical entry; the tables
    /// that are learnt for new nodes make up for it on average.
    pub(crate) fn source_loadings<T: Real>(&self, loadings: &Tall<T>) -> Option<Tall<T>> {
        let source = self.source.as_ref()?;
        let of_sampled = match &self.directions {
            // A small product: as many rows as columns were sampled.
            Some(directions) => {
                let small = Mat::from_fn(loadings.rows(), loadings.cols(), |i, j| {
                    loadings.row(i)[j].to_f64()
                });
                let tall =
                    Tall::<T>::from_rows(directions.nrows(), directions.ncols(), |i, out| {
                        let values = out.iter_mut().enumerate();
                        values.for_each(|(j, out)| *out = T::from_f64(directions[(i, j)]));
                    });
                times_small(&tall, small.as_ref())
            }
            None => loadings.clone(),
        };
        let mut all = Tall::<T>::zeros_in(loadings.workspace(), source.all, loadings.cols());
        for (k, &col) in self.sampled.iter().enumerate() {
            let slope = source.slopes[k];
            let values = of_sampled.row(k).iter();
            for (out, value) in all.row_mut(col as usize).iter_mut().zip(values) {
                *out = T::from_f64(slope * value.to_f64());
            }
        }
        Some(all)
    }
}
