//! Agreement with files written by numpy and scipy.

use std::path::Path;

use gage_embed::graph::Matrix;
use gage_embed::io::{Array, read_attributes, read_labels, read_mat, read_mtx, read_npy, read_npz};

use crate::support::python;

const MAKE: &str = r#"
import numpy as np, scipy.sparse as sp, scipy.io as sio
rng = np.random.default_rng(5)
D = np.round(rng.normal(size=(13, 7)), 3) * (rng.random((13, 7)) < 0.4)
D[4] = 0; D[0, 0] = 2.5
np.savetxt('expected.txt', D, fmt='%.17g')
for form in ('csr', 'csc', 'coo'):
    for bits in (np.int32, np.int64):
        for packed in (True, False):
            A = sp.csr_matrix(D).asformat(form)
            for part in ('indices', 'indptr', 'row', 'col'):
                if hasattr(A, part):
                    try: setattr(A, part, getattr(A, part).astype(bits))
                    except AttributeError: pass
            sp.save_npz(f'{form}{np.dtype(bits).itemsize}{packed}.npz', A, compressed=packed)
sp.save_npz('array.npz', sp.coo_array(D))
np.savez('one.npz', D); np.savez_compressed('one_packed.npz', x=D)
A = sp.coo_matrix((np.ones(6), ([0,0,1,2,2,2],[1,1,0,2,2,2])), shape=(3,3))
sp.save_npz('repeated.npz', A)
I = np.arange(-6, 6).reshape(4, 3)
for t in ('i1','<i2','>i2','<i4','>i4','<i8','>i8'):
    np.save('int_%s.npy' % t.strip('<>').__add__('b' if '>' in t else 'l'), I.astype(t))
for t in ('u1','<u2','>u2','<u4','>u4','<u8','>u8'):
    np.save('uint_%s.npy' % t.strip('<>').__add__('b' if '>' in t else 'l'), (I+6).astype(t))
for t in ('<f2','>f2','<f4','>f4','<f8','>f8'):
    np.save('float_%s.npy' % t.strip('<>').__add__('b' if '>' in t else 'l'), (I/4).astype(t))
    name = 'fortran_%s.npy' % t.strip('<>').__add__('b' if '>' in t else 'l')
    np.save(name, np.asfortranarray((I/4).astype(t)))
np.save('fortran_int.npy', np.asfortranarray(I)); np.save('bool.npy', I > 0)
np.save('halves.npy', np.array([6e-8, -6.1e-5, 65504, 0.333, -0.0], dtype='f2'))
np.save('halves_wide.npy', np.array([6e-8, -6.1e-5, 65504, 0.333, -0.0], dtype='f2').astype('f8'))
np.save('text.npy', np.array(['a', 'Grüße', '', '東京']))
np.save('text_big.npy', np.array(['a', 'Grüße', '', '東京']).astype('>U5'))
np.save('bytes.npy', np.array([b'a', b'bcd', b'']))
np.save('complex.npy', I + 1j); np.save('three.npy', I.reshape(2, 2, 3))
np.save('object.npy', np.array([1, 'a', None], dtype=object), allow_pickle=True)
np.save('record.npy', np.zeros(3, dtype=[('a', 'i4'), ('b', 'f8')]))
for packed in (True, False):
    sio.savemat(f'mat{packed}.mat', dict(first='some text', network=sp.csc_matrix(D), feature=D,
        cell=np.array([1, 'x'], dtype=object), struct=dict(a=1), complex=I + 1j,
        small=I.astype('i1'), logical=sp.csc_matrix(D != 0), flags=D != 0,
        empty=sp.csc_matrix((3, 4)), single=D.astype('f4'),
        wide=(I + 6).astype('u8'), cube=I.reshape(2, 2, 3)), do_compression=packed)
S = np.round(rng.normal(size=(5, 5)), 3); S = S + S.T; K = np.triu(S, 1); K = K - K.T
np.savetxt('sym.txt', S, fmt='%.17g'); np.savetxt('skew.txt', K, fmt='%.17g')
sio.mmwrite('general.mtx', sp.coo_matrix(D)); sio.mmwrite('dense.mtx', D)
sio.mmwrite('sym.mtx', sp.coo_matrix(S), symmetry='symmetric')
sio.mmwrite('skew.mtx', sp.coo_matrix(K), symmetry='skew-symmetric')
sio.mmwrite('dense_sym.mtx', S, symmetry='symmetric')
sio.mmwrite('dense_skew.mtx', K, symmetry='skew-symmetric')
sio.mmwrite('pattern.mtx', sp.coo_matrix(D), field='pattern')
sio.mmwrite('integer.mtx', sp.coo_matrix(np.arange(12).reshape(3, 4)), field='integer')
import gzip; gzip.open('general.mtx.gz', 'wb').write(open('general.mtx', 'rb').read())
np.save('labels_float.npy', np.array([0., 2., np.nan, 1.]))
np.save('years.npy', np.array([2003, 2009, -1, 2003]))
np.save('onehot.npy', np.array([[1, 0], [1, 1], [0, 0]]))
sp.save_npz('onehot.npz', sp.csr_matrix(np.array([[1, 0], [1, 1], [0, 0]])))
"#;

fn table(path: &Path) -> Vec<Vec<f64>> {
    let text = std::fs::read_to_string(path).expect("expected values");
    text.lines().map(|l| l.split(' ').map(|n| n.parse().expect("number")).collect()).collect()
}

fn written_out(matrix: &Matrix) -> Vec<Vec<f64>> {
    let mut rows = vec![vec![0.0; matrix.cols()]; matrix.rows()];
    for (row, cells) in rows.iter_mut().enumerate() {
        match matrix {
            Matrix::Sparse(sparse) => {
                sparse.row(row).for_each(|(col, value)| cells[col as usize] = value);
            }
            Matrix::Dense(dense) => dense.read_row(row, cells),
        }
    }
    rows
}

#[test]
fn numpy_and_scipy_files_hold_what_python_put_in() {
    let Some(folder) = python("numpy, scipy", MAKE) else { return };
    let at = |name: &str| folder.path().join(name);
    let expected = table(&at("expected.txt"));
    for form in ["csr", "csc", "coo"] {
        for bits in ["4", "8"] {
            for packed in ["True", "False"] {
                let name = format!("{form}{bits}{packed}.npz");
                assert_eq!(written_out(&read_npz(at(&name)).expect(&name)), expected, "{name}");
            }
        }
    }
    for name in ["array.npz", "one.npz", "one_packed.npz"] {
        assert_eq!(written_out(&read_npz(at(name)).expect(name)), expected, "{name}");
    }
    let repeated = written_out(&read_npz(at("repeated.npz")).expect("repeated"));
    assert_eq!(repeated, [[0.0, 2.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 3.0]]);
    for name in ["general.mtx", "dense.mtx", "general.mtx.gz"] {
        assert_eq!(written_out(&read_mtx(at(name)).expect(name)), expected, "{name}");
    }
    let pattern: Vec<Vec<f64>> =
        expected.iter().map(|row| row.iter().map(|v| f64::from(*v != 0.0)).collect()).collect();
    assert_eq!(written_out(&read_mtx(at("pattern.mtx")).expect("pattern")), pattern);
    for (name, like) in
        [("sym", "sym"), ("skew", "skew"), ("dense_sym", "sym"), ("dense_skew", "skew")]
    {
        let read = read_mtx(at(&format!("{name}.mtx"))).expect(name);
        assert_eq!(written_out(&read), table(&at(&format!("{like}.txt"))), "{name}");
    }
    let whole = written_out(&read_mtx(at("integer.mtx")).expect("integer"));
    assert_eq!(whole.concat(), (0..12).map(f64::from).collect::<Vec<f64>>());
}

#[test]
fn numpy_types_orders_and_strings() {
    let Some(folder) = python("numpy, scipy", MAKE) else { return };
    let at = |name: &str| folder.path().join(name);
    let integers: Vec<i64> = (-6..6).collect();
    for (prefix, shift) in [("int_i", 0), ("uint_u", 6)] {
        for kind in ["1l", "2l", "2b", "4l", "4b", "8l", "8b"] {
            let name = format!("{prefix}{kind}.npy");
            let expected = Array::Integers {
                shape: vec![4, 3],
                values: integers.iter().map(|value| value + shift).collect(),
            };
            assert_eq!(read_npy(at(&name)).expect(&name), expected, "{name}");
        }
    }
    for prefix in ["float", "fortran"] {
        for kind in ["2l", "2b", "4l", "4b", "8l", "8b"] {
            let name = format!("{prefix}_f{kind}.npy");
            let Array::Numbers(dense) = read_npy(at(&name)).expect(&name) else { panic!("{name}") };
            let read: Vec<f64> = (0..12).map(|at| dense.get(at / 3, at % 3)).collect();
            assert_eq!(
                read,
                integers.iter().map(|&v| v as f64 / 4.0).collect::<Vec<_>>(),
                "{name}"
            );
        }
    }
    let fortran = read_npy(at("fortran_int.npy")).expect("fortran");
    assert_eq!(fortran, Array::Integers { shape: vec![4, 3], values: integers.clone() });
    let flags = integers.iter().map(|&value| i64::from(value > 0)).collect();
    let bool = read_npy(at("bool.npy")).expect("bool");
    assert_eq!(bool, Array::Integers { shape: vec![4, 3], values: flags });
    let (Array::Numbers(half), Array::Numbers(wide)) =
        (read_npy(at("halves.npy")).expect("f2"), read_npy(at("halves_wide.npy")).expect("f8"))
    else {
        panic!("numbers")
    };
    (0..5).for_each(|row| assert_eq!(half.get(row, 0), wide.get(row, 0), "{row}"));
    let texts = Array::Texts(["a", "Grüße", "", "東京"].map(str::to_owned).to_vec());
    assert_eq!(read_npy(at("text.npy")).expect("text"), texts);
    assert_eq!(read_npy(at("text_big.npy")).expect("text"), texts);
    let bytes = Array::Texts(["a", "bcd", ""].map(str::to_owned).to_vec());
    assert_eq!(read_npy(at("bytes.npy")).expect("bytes"), bytes);
    for name in ["complex.npy", "three.npy", "object.npy", "record.npy"] {
        let message = read_npy(at(name)).expect_err(name).to_string();
        assert!(message.contains(name) && message.contains("not supported"), "{message}");
    }
}

#[test]
fn matlab_variables_and_labels() {
    let Some(folder) = python("numpy, scipy", MAKE) else { return };
    let at = |name: &str| folder.path().join(name);
    let expected = table(&at("expected.txt"));
    let ones: Vec<Vec<f64>> =
        expected.iter().map(|row| row.iter().map(|v| f64::from(*v != 0.0)).collect()).collect();
    for file in ["matTrue.mat", "matFalse.mat"] {
        let wanted = ["network", "feature", "logical", "flags", "empty", "small", "wide", "absent"];
        let mut read = read_mat(at(file), &wanted).expect(file);
        assert_eq!(read.names.len(), 13, "{file}: {:?}", read.names);
        let mut take = |name: &str| written_out(&read.take(name).expect(name));
        assert_eq!(take("network"), expected);
        assert_eq!(take("feature"), expected);
        assert_eq!(take("logical"), ones);
        assert_eq!(take("flags"), ones);
        assert_eq!(take("empty"), vec![vec![0.0; 4]; 3]);
        assert_eq!(take("small").concat(), (-6..6).map(f64::from).collect::<Vec<_>>());
        assert_eq!(take("wide").concat(), (0..12).map(f64::from).collect::<Vec<_>>());
        assert!(read.take("absent").is_none());
        for name in ["first", "cell", "struct", "complex", "cube"] {
            let message = read_mat(at(file), &[name]).expect_err(name).to_string();
            assert!(message.contains(name) && message.contains("not supported"), "{message}");
        }
    }
    let labels = read_labels(at("labels_float.npy")).expect("float labels").labels;
    assert_eq!(
        (0..4).map(|n| labels.of(n).to_vec()).collect::<Vec<_>>(),
        [vec![0], vec![2], vec![], vec![1]]
    );
    let years = read_labels(at("years.npy")).expect("years").labels;
    assert_eq!(years.class_names(), ["2003", "2009"]);
    for name in ["onehot.npy", "onehot.npz"] {
        let labels = read_labels(at(name)).expect(name).labels;
        assert_eq!(
            (0..3).map(|n| labels.of(n).to_vec()).collect::<Vec<_>>(),
            [vec![0], vec![0, 1], vec![]]
        );
    }
    assert_eq!(read_attributes(at("csr4True.npz")).expect("attributes").matrix.cols(), 7);
}
