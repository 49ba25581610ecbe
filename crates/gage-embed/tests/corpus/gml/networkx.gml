graph [
  directed 1
  node [
    id 0
    label "a<b>"
    age 3
    city "Ulm"
    vip 1
  ]
  node [
    id 1
    label "b &#34;q&#34;"
    age 4.5
    city "Bonn &#252;"
  ]
  node [
    id 2
    label "c"
  ]
  edge [
    source 0
    target 1
    weight 2.5
    colour "red"
  ]
  edge [
    source 1
    target 2
    weight 1
  ]
]
