//! Layouts of embeddings with planted groups, and of degenerate ones.

use gage_linalg::Tall;
use gage_plot::layout::{LayoutParams, Movement, layout, nearest, unit_rows};
use gage_testing::with_threads;

#[test]
fn a_layout_keeps_planted_groups_apart_at_any_number_of_threads() {
    // Eight groups in twenty columns.
    let embedding = Tall::from_rows(1200, 20, |row, out: &mut [f32]| {
        for (col, value) in out.iter_mut().enumerate() {
            let noise = ((row * 31 + col * 17) as f32 * 12.9898).sin() * 43758.547;
            *value = 0.35 * (noise - noise.floor() - 0.5) + if row % 8 == col { 1.0 } else { 0.0 };
        }
    });
    for exact_nodes in [10_000, 100] {
        let params = LayoutParams { exact_nodes, ..LayoutParams::default() };
        let points = with_threads(1, || layout(&embedding, None, &params));
        assert_eq!(points, with_threads(2, || layout(&embedding, None, &params)));
        assert!(points.iter().flatten().all(|x| x.is_finite()));
        // The nearest other point on the map is of the same group.
        let square = |a: [f32; 2], b: [f32; 2]| (a[0] - b[0]).powi(2) + (a[1] - b[1]).powi(2);
        let same = (0..1200).filter(|&row| {
            let others = (0..1200).filter(|&other| other != row);
            let nearest = others.min_by(|&a, &b| {
                square(points[row], points[a]).total_cmp(&square(points[row], points[b]))
            });
            nearest.is_some_and(|other| other % 8 == row % 8)
        });
        let same = same.count();
        assert!(same >= 1190, "{same} of 1200");
    }
}

#[test]
fn points_that_are_held_to_a_place_stay_nearer_to_it() {
    // Groups by the row modulo eight, and by the row modulo six.
    let rows = |groups: usize| {
        let embedding = Tall::from_rows(600, 8, |row, out: &mut [f32]| {
            for (col, value) in out.iter_mut().enumerate() {
                let noise = ((row * 31 + col * 17) as f32 * 12.9898).sin() * 43758.547;
                *value =
                    0.3 * (noise - noise.floor()) + if row % groups == col { 1.0 } else { 0.0 };
            }
        });
        unit_rows(&embedding)
    };
    let (first, other) = (rows(8), rows(6));
    let home = layout(&first, None, &LayoutParams::default());
    let found = nearest(&other, 15, 10_000, 0);
    let start = || Movement::new(&found, home.clone(), 300, 0).from_round(200);
    let way = |points: &[[f32; 2]]| -> f32 {
        let square = |(a, b): (&[f32; 2], &[f32; 2])| (a[0] - b[0]).powi(2) + (a[1] - b[1]).powi(2);
        points.iter().zip(&home).map(square).map(f32::sqrt).sum::<f32>() / 600.0
    };
    let free = way(&start().finish());
    let held = with_threads(1, || start().tethered(home.clone()).finish());
    assert_eq!(held, with_threads(2, || start().tethered(home.clone()).finish()));
    let held = way(&held);
    // They move, but less far.
    assert!(held > 0.1 * free && held < 0.9 * free, "{held} of {free}");
}

#[test]
fn very_small_and_degenerate_layouts_do_not_fail() {
    for nodes in [0, 1, 2, 3, 5] {
        let rows = Tall::from_rows(nodes, 3, |row, out: &mut [f32]| out.fill(row as f32));
        assert_eq!(layout(&rows, None, &LayoutParams::default()).len(), nodes);
    }
    let zero = Tall::<f32>::zeros(40, 4);
    assert!(layout(&zero, None, &LayoutParams::default()).iter().flatten().all(|x| x.is_finite()));
}
