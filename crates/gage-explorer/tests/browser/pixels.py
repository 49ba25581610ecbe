"""What can be seen of a page."""

import io


def image(png):
    """A picture as an array of rows, columns and colours."""
    import numpy
    from PIL import Image

    return numpy.asarray(Image.open(io.BytesIO(png)).convert("RGB")).astype(int)


def inked(browser, selector="#view", frame=(0, 0)):
    """Share of the pixels of an element that are not of its most frequent colour, and that colour;
    `frame` is where the frame of the element begins in the window."""
    import numpy

    box = browser.run(
        "const b = document.querySelector(arguments[0]).getBoundingClientRect();"
        "return [b.left, b.top, b.right, b.bottom].map(Math.round)",
        selector,
    )
    left, top, right, bottom = (side + frame[at % 2] for at, side in enumerate(box))
    pixels = image(browser.screenshot())[top + 2 : bottom - 2, left + 2 : right - 2]
    flat = pixels.reshape(-1, 3) @ [65536, 256, 1]
    values, counts = numpy.unique(flat, return_counts=True)
    ground = int(values[counts.argmax()])
    return 1 - counts.max() / len(flat), (ground >> 16, ground >> 8 & 255, ground & 255)
