Creator "yFiles"
# a comment
graph [ hierarchic 1 directed 1
node [ id 0 graphics [ x 1.0 y 2.0 fill "#FFCC00" ] LabelGraphics [ text "x" ] label "one
line more" ]
node [ id 1 tags "a" tags "b" label "two &amp; &#228;" ] edge [ source 0 target 1 graphics [ fill "#000000" ] label "e" ]
]