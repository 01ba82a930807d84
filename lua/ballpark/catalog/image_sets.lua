-- Data sets of images with texts: pixels of an image as models are given it, and tokens of the longest text with its prompt.
return {
  -- Rendered formulas (unsloth/LaTeX_OCR, from im2latex-100k): strips of some 320 x 64 pixels, which processors of images make
  -- 256 x 256 pixels large at least; at most 150 symbols of LaTeX, and a prompt of 25 tokens (all recalled).
  latex_ocr = { pixels = 256 * 256, words = 175 },
}
