pub(crate) fn run(_: &crate::args::FoldInArgs, _: &super::Session) -> anyhow::Result<()> { Ok(()) }
