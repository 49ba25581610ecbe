//! Which index a search uses, if any.

use std::path::{Path, PathBuf};

use gage_embed::io::row_files;
use gage_embed::search::{IndexError, SearchIndex};

use crate::args::SimilarArgs;
use crate::errors::Failure;
use crate::index_file::{beside, failure};
use crate::session::Session;

/// From this many nodes on an index beside the model is used by default.
pub(super) const LARGE: usize = 100_000;

/// The index to use: the one that is named, or one beside a large model. One that is named must
/// fit; one that is merely there and does not is left alone, with a warning, because a scan gives
/// the right answer all the same.
pub(super) fn open(
    args: &SimilarArgs,
    session: &Session,
) -> anyhow::Result<Option<(PathBuf, SearchIndex)>> {
    if args.exact {
        return Ok(None);
    }
    if let Some(path) = &args.index {
        let index = SearchIndex::open(path).map_err(|error| failure(path, &error))?;
        if let Some(misfit) = misfit(args, &index)? {
            let message = format!("{}: {misfit}", path.display());
            let help = "ask as the index was built, or build one for this with `gage index -o`";
            return Err(Failure::misfit(message).help(help).into());
        }
        check_origin(args, path, &index)?;
        return Ok(Some((path.clone(), index)));
    }
    let own = beside(&args.model, &args.lambda, args.metric);
    let plain = beside(&args.model, &Default::default(), Default::default());
    for path in [&own, &plain] {
        if !path.is_file() {
            continue;
        }
        match usable(args, path) {
            Ok(Some(index)) => return Ok(Some((path.clone(), index))),
            Ok(None) => {}
            Err(error) => {
                let warning =
                    format!("the index is not used: {error:#}; `gage index` builds it again");
                session.out.warnings(&[warning]);
                return Ok(None);
            }
        }
    }
    Ok(None)
}

/// The index at a path, unless it is of a small model or of other shares.
fn usable(args: &SimilarArgs, path: &Path) -> anyhow::Result<Option<SearchIndex>> {
    let index = SearchIndex::open(path).map_err(|error| failure(path, &error))?;
    if index.info().nodes < LARGE || misfit(args, &index)?.is_some() {
        return Ok(None);
    }
    check_origin(args, path, &index)?;
    Ok(Some(index))
}

/// What of the question the index is not made for.
fn misfit(args: &SimilarArgs, index: &SearchIndex) -> anyhow::Result<Option<String>> {
    if index.info().metric != args.metric.into() {
        return Ok(Some("the index is of another --metric".to_owned()));
    }
    if index.info().views.is_empty() {
        args.lambda.refuse_for_embedding(&args.model)?;
    }
    if !index.fits_lambda(&args.lambda.lambda())? {
        let shares: Vec<String> =
            index.info().shares.iter().map(|share| format!("{share:.4}")).collect();
        return Ok(Some(format!(
            "the index is of other shares of the views: {}",
            shares.join(", ")
        )));
    }
    Ok(None)
}

fn check_origin(args: &SimilarArgs, path: &Path, index: &SearchIndex) -> Result<(), Failure> {
    let files = row_files(&args.model);
    let files: Vec<&Path> = files.iter().map(PathBuf::as_path).collect();
    index.info().origin.check(&files, path).map_err(|error| match error {
        IndexError::Io(source) => failure(&args.model, &IndexError::Io(source)),
        other => failure(path, &other),
    })
}
