pub(crate) fn run(_: &crate::args::ConvertArgs, _: &super::Session) -> anyhow::Result<()> { Ok(()) }
