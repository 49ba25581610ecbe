//! Where folded-in rows go: an embedding of them, or all nodes as embedding or model.

use gage_embed::io::{EmbeddingRef, EmbeddingWriter, Target};
use gage_embed::model::FoldedIn;
use gage_embed::{Lambda, Model, Nodes};

use crate::args::FoldInArgs;
use crate::errors::Failure;
use crate::staging::Staging;

/// A claimed output.
pub(super) enum Destination {
    Rows(EmbeddingWriter),
    AllRows(EmbeddingWriter),
    Model(Target, [String; 1]),
}

impl Destination {
    /// Claims what the options ask for, or refuses them.
    pub(super) fn plan(args: &FoldInArgs, staging: &mut Staging) -> anyhow::Result<Destination> {
        let (path, format) = (&args.file.output, args.file.format);
        let is_model = format.is_none()
            && path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("gage"));
        if !is_model {
            let rows = EmbeddingWriter::plan(staging, path, format)?;
            return Ok(match args.append {
                true => Destination::AllRows(rows),
                false => Destination::Rows(rows),
            });
        }
        let shown = path.display();
        if !args.append {
            let message = format!("{shown}: a model holds the nodes of the fit, too");
            return Err(Failure::usage(message).help("say --append to write all nodes").into());
        }
        if args.lambda.lambda() != Lambda::Preset {
            let message = format!("{shown}: a model has no shares of its own to be chosen");
            let help = "leave out --lambda and --shares, and give them to `gage reweight`";
            return Err(Failure::usage(message).help(help).into());
        }
        Ok(Destination::Model(staging.claim(path)?, [shown.to_string()]))
    }

    /// The files that will be written.
    pub(super) fn files(&self) -> &[String] {
        match self {
            Destination::Rows(rows) | Destination::AllRows(rows) => rows.files(),
            Destination::Model(_, file) => file,
        }
    }

    /// Whether standard output is the file.
    pub(super) fn is_stdout(&self) -> bool {
        match self {
            Destination::Rows(rows) | Destination::AllRows(rows) => rows.is_stdout(),
            Destination::Model(target, _) => *target == Target::Stdout,
        }
    }

    /// Writes the rows of new nodes, behind those of the model if they are appended.
    pub(super) fn write(
        &self,
        model: Model,
        (nodes, folded): (&Nodes, &FoldedIn),
        lambda: &Lambda,
        staging: &mut Staging,
    ) -> anyhow::Result<()> {
        match self {
            Destination::Rows(rows) => {
                let values = model.embed_new(folded, lambda)?;
                rows.write(staging, &EmbeddingRef { nodes, values: &values })?;
            }
            Destination::AllRows(rows) => {
                let (nodes, values) = model.append(nodes, folded)?.into_embedding(lambda)?;
                rows.write(staging, &EmbeddingRef { nodes: &nodes, values: &values })?;
            }
            Destination::Model(target, _) => {
                let model = model.append(nodes, folded)?;
                staging.write_at(target, |place| model.save(place))?;
            }
        }
        Ok(())
    }
}
