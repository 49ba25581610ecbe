"""What the native layer offers; see crates/gage-py/src."""

from typing import Any, Callable, Dict, List, Optional, Tuple

__version__: str
PRESETS: List[str]
DEFAULT_COLUMNS: int
DEFAULT_ENERGY: float
ITERATIONS: int
ID_NAMES: List[str]
SOURCE_NAMES: List[str]
TARGET_NAMES: List[str]
WEIGHT_NAMES: List[str]

class NothingToEmbedError(ValueError): ...

_Report = Optional[Callable[[str, int, int, Optional[float]], None]]
_Named = List[Tuple[str, Any]]

class Links:
    @staticmethod
    def from_csr(
        shape: Tuple[int, ...],
        indptr: Any,
        indices: Any,
        data: Any = None,
        ids: Optional[List[str]] = None,
    ) -> "Links": ...
    @staticmethod
    def from_pairs(
        name: str,
        sources: Any,
        targets: Any,
        weights: Optional[List[float]] = None,
        arcs: bool = False,
        relations: Optional[List[str]] = None,
        times: Optional[Tuple[List[str], float]] = None,
    ) -> "Links": ...
    @staticmethod
    def from_file(path: Any, reading: Optional[str] = None) -> "Links": ...
    def as_table(self) -> "Table": ...
    @property
    def shape(self) -> Tuple[int, int]: ...
    @property
    def ids(self) -> Optional[List[str]]: ...
    @property
    def indices_address(self) -> int: ...

class EdgeColumns:
    @property
    def positions(self) -> Tuple[int, int, Optional[int], Optional[int], Optional[int]]: ...
    def described(self, links: Links) -> Links: ...

class Table:
    @staticmethod
    def from_csr(
        shape: Tuple[int, ...],
        indptr: Any,
        indices: Any,
        data: Any = None,
        columns: Optional[List[str]] = None,
        ids: Optional[List[str]] = None,
    ) -> "Table": ...
    @staticmethod
    def from_dense(
        name: str, values: Any, columns: Optional[List[str]] = None, ids: Optional[List[str]] = None
    ) -> "Table": ...
    @staticmethod
    def from_frame(
        name: str,
        columns: _Named,
        id_column: Optional[str] = None,
        like: Optional["Model"] = None,
        reading: Optional[str] = None,
    ) -> "Table": ...
    @staticmethod
    def from_file(
        name: str,
        path: Any,
        id_column: Optional[str] = None,
        find_ids: bool = True,
        like: Optional["Model"] = None,
        reading: Optional[str] = None,
    ) -> "Table": ...
    @property
    def shape(self) -> Tuple[int, int]: ...
    @property
    def ids(self) -> Optional[List[str]]: ...
    @property
    def columns(self) -> Optional[List[str]]: ...

class Labels:
    @staticmethod
    def from_numbers(numbers: List[int], ids: Optional[List[str]] = None) -> "Labels": ...
    @staticmethod
    def from_names(names: List[Optional[str]], ids: Optional[List[str]] = None) -> "Labels": ...
    @staticmethod
    def from_lists(
        names: List[str], lists: List[List[int]], ids: Optional[List[str]] = None
    ) -> "Labels": ...
    @staticmethod
    def from_file(path: Any, reading: Optional[str] = None) -> "Labels": ...
    @property
    def ids(self) -> Optional[List[str]]: ...
    def __len__(self) -> int: ...

class Graph:
    info: List[str]
    warnings: List[str]
    readings: str
    @staticmethod
    def assemble(
        links: _Named,
        tables: _Named,
        nodes: Optional[List[str]] = None,
        labels: Optional[Labels] = None,
        directed: Optional[bool] = None,
        zero_rows_missing: bool = False,
        masks: List[Tuple[str, List[bool]]] = ...,
        align: Optional[str] = None,
        ids: Optional[str] = None,
    ) -> "Graph": ...
    @staticmethod
    def load(
        source: Any = None,
        graph: Any = None,
        attributes: Any = None,
        labels: Any = None,
        nodes: Any = None,
        columns: Any = None,
        views: _Named = ...,
        directed: Optional[bool] = None,
        zero_rows_missing: bool = False,
        id_column: Optional[str] = None,
        mat_names: Optional[Tuple[str, str, str]] = None,
        reading: Optional[str] = None,
        align: Optional[str] = None,
        ids: Optional[str] = None,
    ) -> "Graph": ...
    @staticmethod
    def debian() -> "Graph": ...
    @staticmethod
    def planted(params: str) -> "Graph": ...
    def masked(self, masks: List[Tuple[str, List[bool]]]) -> "Graph": ...
    def with_labels(self, labels: Labels) -> "Graph": ...
    def __len__(self) -> int: ...
    @property
    def ids(self) -> Optional[List[str]]: ...
    def blocks(self) -> List[Tuple[str, str, Tuple[int, int], int]]: ...
    def matrix(self, name: str) -> Any: ...
    def columns(self, name: str) -> Optional[List[str]]: ...
    def mask(self, name: str) -> Optional[List[bool]]: ...
    def indices_address(self, name: str) -> Optional[int]: ...
    def labels(self) -> Optional[Tuple[List[str], List[List[int]]]]: ...

class Model:
    @staticmethod
    def load(path: Any) -> "Model": ...
    @staticmethod
    def from_bytes(bytes: bytes) -> "Model": ...
    def to_bytes(self) -> bytes: ...
    def save(self, path: Any) -> None: ...
    @property
    def annotations(self) -> Dict[str, str]: ...
    def annotated(self, annotations: Dict[str, str]) -> "Model": ...
    def __len__(self) -> int: ...
    @property
    def dimension(self) -> int: ...
    @property
    def ids(self) -> Optional[List[str]]: ...
    @property
    def takes_new_nodes(self) -> bool: ...
    def factors(self) -> Any: ...
    def coefficients(self) -> List[List[float]]: ...
    def embedding(
        self, lam: Optional[float] = None, shares: Optional[List[float]] = None
    ) -> Any: ...
    def shares(
        self, lam: Optional[float] = None, shares: Optional[List[float]] = None
    ) -> List[float]: ...
    def lambda_warning(
        self, lam: Optional[float] = None, shares: Optional[List[float]] = None
    ) -> Optional[str]: ...
    def views(self) -> str: ...
    def params(self) -> str: ...
    def info(self) -> str: ...
    def certificate(self) -> Optional[str]: ...
    def certify(
        self,
        graph: Graph,
        seed: int = 0,
        threads: Optional[int] = None,
        report: _Report = None,
        ids: Optional[str] = None,
    ) -> "Model": ...
    def find(self, id: str, ids: Optional[str] = None) -> int: ...
    def similar(
        self,
        node: int,
        count: int,
        lam: Optional[float] = None,
        shares: Optional[List[float]] = None,
        distance: bool = False,
    ) -> List[Tuple[int, float, List[float]]]: ...
    def fold_in(
        self,
        links: _Named,
        tables: _Named,
        nodes: Optional[List[str]] = None,
        ids: Optional[str] = None,
        lam: Optional[float] = None,
        shares: Optional[List[float]] = None,
    ) -> Tuple[Any, Optional[List[str]], List[int], List[str]]: ...
    def append(
        self,
        links: _Named,
        tables: _Named,
        nodes: Optional[List[str]] = None,
        ids: Optional[str] = None,
    ) -> Tuple["Model", Optional[List[str]], List[int], List[str]]: ...
    def is_relation(self, name: str) -> bool: ...
    def has_block(self, name: str) -> bool: ...
    def width(self, name: str) -> int: ...
    def column_names(self, name: str) -> Optional[List[str]]: ...

class SearchIndex:
    @staticmethod
    def build(
        model: Any,
        output: Any = None,
        lam: Optional[float] = None,
        shares: Optional[List[float]] = None,
        distance: bool = False,
        recall: Optional[float] = None,
        extend: Any = None,
        seed: int = 0,
        threads: Optional[int] = None,
    ) -> "SearchIndex": ...
    @staticmethod
    def open(path: Any) -> "SearchIndex": ...
    @property
    def path(self) -> Any: ...
    def info(self) -> str: ...
    def find(self, id: str, ids: Optional[str] = None) -> int: ...
    def similar(self, node: int, count: int) -> List[Tuple[str, float, List[float]]]: ...

class Explorer:
    def __init__(
        self,
        model: Model,
        title: str,
        seed: int,
        graph: Optional[Graph] = None,
        classes: Optional[Tuple[List[str], List[int]]] = None,
        scale: Optional[Tuple[str, List[float]]] = None,
        cache: Any = None,
        threads: Optional[int] = None,
    ) -> None: ...
    def answer(self, method: str, target: str, body: bytes) -> "Answer": ...

class Answer:
    @property
    def status(self) -> int: ...
    def next(self) -> Optional[bytes]: ...

def frozen_page(
    model: Model,
    title: str,
    seed: int,
    graph: Optional[Graph] = None,
    classes: Optional[Tuple[List[str], List[int]]] = None,
    scale: Optional[Tuple[str, List[float]]] = None,
    threads: Optional[int] = None,
) -> str: ...
def notebook_parts() -> Tuple[str, str]: ...
def class_look(number: Optional[int]) -> Tuple[str, str]: ...
def layout(
    embedding: Any, neighbours: Optional[int] = None, seed: int = 0, threads: Optional[int] = None
) -> Any: ...
def graph_of_states(
    count: int,
    ids: Optional[List[str]],
    blocks: List[Any],
    labels: Optional[Tuple[List[str], List[List[int]]]],
    info: List[str],
    warnings: List[str],
    readings: str = ...,
) -> Graph: ...
def block_states(graph: Graph) -> List[Any]: ...
def write_folder(
    graph: Graph, folder: Any, mapped: bool = False, inputs: List[Any] = ...
) -> Tuple[List[str], List[Tuple[str, int]]]: ...
def write_links(
    graph: Graph, path: Any, inputs: List[Any] = ...
) -> Tuple[List[str], bool, bool]: ...
def is_embedding(path: Any) -> bool: ...
def read_embedding(path: Any) -> Tuple[Any, Optional[List[str]]]: ...
def write_embedding(
    path: Any, rows: Any, ids: Optional[List[str]] = None, source: Any = None
) -> List[str]: ...
def run_command(arguments: List[str]) -> int: ...
def edge_columns(
    name: str, columns: List[str], rows: List[List[str]], reading: Optional[str] = None
) -> EdgeColumns: ...
def read_view(
    path: Any, id_column: Optional[str] = None, reading: Optional[str] = None
) -> Tuple[Optional[Links], Optional[Table]]: ...
def fit(
    graph: Graph, options: str, threads: Optional[int] = None, report: _Report = None
) -> Model: ...
def recipe(
    graph: Graph, options: str, threads: Optional[int] = None, report: _Report = None
) -> str: ...
def read_recipe(path: Any = None, json: Optional[str] = None) -> str: ...
def classify(
    embedding: Any,
    labels: Labels,
    params: str,
    threads: Optional[int] = None,
    report: _Report = None,
) -> str: ...
def cluster(
    embedding: Any,
    labels: Optional[Labels],
    params: str,
    threads: Optional[int] = None,
    report: _Report = None,
) -> str: ...
def predict_links(
    graph: Graph,
    options: str,
    params: str,
    lam: Optional[float] = None,
    shares: Optional[List[float]] = None,
    threads: Optional[int] = None,
    report: _Report = None,
) -> str: ...
def sweep(
    graph: Graph,
    options: str,
    task: str,
    params: str,
    lambdas: List[float],
    threads: Optional[int] = None,
    report: _Report = None,
) -> str: ...
def sweep_fitted(
    model: Model,
    labels: Optional[Labels],
    task: str,
    params: str,
    lambdas: List[float],
    threads: Optional[int] = None,
    report: _Report = None,
) -> str: ...
def tune(
    graph: Graph,
    candidates: List[str],
    params: str,
    threads: Optional[int] = None,
    report: _Report = None,
) -> Tuple[str, Model]: ...
