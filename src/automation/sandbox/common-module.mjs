// @ts-check
/** Code as CommonJS modules have it: no `export`, and an `exports` to put functions on. @param {string} source */
export const isCommonJs = (source) =>
  !/(?:^|[\n;}])\s*export\s*(?:\{|\*|default\b|const\b|let\b|var\b|async\b|function\b|class\b)/.test(source) &&
  /\bexports\b/.test(source)

/** On one line with the code, so that its lines keep their numbers. @param {string} source */
export const wrapCommonJs = (source) => `(function (module, exports) { ${source}\n; return module.exports })`
