Creator "igraph version 0.10"
Version 1
graph
[
  directed 0
  node
  [
    id 7
    label "a"
    age 1
  ]
  node
  [
    id 9
    label "b"
    age 2.5
  ]
  edge
  [
    source 7
    target 9
    value 3
  ]
]
