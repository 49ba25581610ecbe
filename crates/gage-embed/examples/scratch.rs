//! scratch
#![allow(missing_docs, clippy::print_stdout)]
use gage_embed::io::{DatasetSpec, load};
use gage_embed::*;
fn main() {
    let base = "/work/shared/datasets/";
    for (name, f, reference) in [
        ("webkb", 64, 0.10608),
        ("webkb", 128, 0.05299),
        ("wiki", 64, 0.12352),
        ("wiki", 128, 0.05343),
        ("blogcatalog", 128, 2.0385e-4),
        ("blogcatalog", 256, 9.936e-5),
    ] {
        let t = std::time::Instant::now();
        let data = load(&DatasetSpec::at(format!("{base}{name}"))).unwrap();
        let read = t.elapsed();
        for (prec, refine) in
            [(Precision::F32, false), (Precision::F32, true), (Precision::F64, true)]
        {
            let t = std::time::Instant::now();
            let p = FitParams {
                dimension: Dimension::Fixed(f),
                precision: prec,
                refine: refine.then(RefineParams::default),
                loadings: false,
                ..FitParams::preset("paper").unwrap()
            };
            let m = fit(&data.graph, p.check().unwrap()).unwrap();
            let i = m.info();
            println!(
                "{name} {f} {prec:?} refine {refine}: ratio {:.5} per view {:?} norms {:?} passes {} width {} iters {} als {} ({:?}) refine {:?} read {read:?} fit {:?}",
                i.relative_loss / reference,
                m.views().iter().map(|v| v.relative_loss).collect::<Vec<_>>(),
                m.views().iter().map(|v| v.gram_norm).collect::<Vec<_>>(),
                i.passes,
                i.basis.width,
                i.basis.iterations,
                i.core_als.sweeps,
                i.core_als.stop,
                i.refine.as_ref().map(|r| (r.sweeps, r.stop)),
                t.elapsed()
            );
        }
    }
}
