//! The assignment problem: the best one-to-one match between two sets.

/// Chooses at most one column for each row and one row for each column so that the chosen entries
/// have the largest sum; returns that sum. `gains` is row-major with `columns` columns.
///
/// The Hungarian method with potentials: rows are matched one after the other along a cheapest
/// augmenting path. Whole-number gains make it exact. Cost O(r^2 c) for r <= c.
pub(super) fn best_match(gains: &[u64], rows: usize, columns: usize) -> u64 {
    if rows > columns {
        let swapped: Vec<u64> = (0..columns)
            .flat_map(|column| (0..rows).map(move |row| gains[row * columns + column]))
            .collect();
        return best_match(&swapped, columns, rows);
    }
    let cost = |row: usize, column: usize| -i128::from(gains[row * columns + column]);
    // Index 0 of these stands for "none"; rows and columns count from 1.
    let mut row_price = vec![0i128; rows + 1];
    let mut column_price = vec![0i128; columns + 1];
    let mut matched = vec![0usize; columns + 1];
    for row in 1..=rows {
        let mut slack = vec![i128::MAX; columns + 1];
        let mut before = vec![0usize; columns + 1];
        let mut visited = vec![false; columns + 1];
        matched[0] = row;
        let mut column = 0;
        // Grow a tree of cheapest paths until it reaches a free column.
        while matched[column] != 0 {
            visited[column] = true;
            let from = matched[column];
            let (mut step, mut next) = (i128::MAX, 0);
            for to in (1..=columns).filter(|&to| !visited[to]) {
                let reduced = cost(from - 1, to - 1) - row_price[from] - column_price[to];
                if reduced < slack[to] {
                    (slack[to], before[to]) = (reduced, column);
                }
                if slack[to] < step {
                    (step, next) = (slack[to], to);
                }
            }
            for to in 0..=columns {
                if visited[to] {
                    row_price[matched[to]] += step;
                    column_price[to] -= step;
                } else if to > 0 {
                    slack[to] -= step;
                }
            }
            column = next;
        }
        // Shift the matches along the path.
        while column != 0 {
            matched[column] = matched[before[column]];
            column = before[column];
        }
    }
    (1..=columns)
        .filter(|&column| matched[column] != 0)
        .map(|column| gains[(matched[column] - 1) * columns + column - 1])
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Tries every match.
    fn by_search(gains: &[u64], rows: usize, columns: usize, row: usize, used: u32) -> u64 {
        if row == rows {
            return 0;
        }
        let skip = by_search(gains, rows, columns, row + 1, used);
        (0..columns)
            .filter(|&column| used & (1 << column) == 0)
            .map(|column| {
                gains[row * columns + column]
                    + by_search(gains, rows, columns, row + 1, used | 1 << column)
            })
            .fold(skip, u64::max)
    }

    proptest! {
        #[test]
        fn agrees_with_trying_every_match(
            rows in 0usize..6,
            columns in 0usize..6,
            gains in prop::collection::vec(0u64..20, 36),
        ) {
            let gains = &gains[..rows * columns];
            let expected = by_search(gains, rows, columns, 0, 0);
            prop_assert_eq!(best_match(gains, rows, columns), expected);
        }
    }
}
