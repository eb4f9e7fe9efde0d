// @ts-check
/** Returns whether code is a CommonJS module: it has no `export` and uses `exports`. @param {string} source */
export const isCommonJs = (source) =>
  !/(?:^|[\n;}])\s*export\s*(?:\{|\*|default\b|const\b|let\b|var\b|async\b|function\b|class\b)/.test(source) &&
  /\bexports\b/.test(source)

/** Wraps a CommonJS module without adding lines, so that errors name the lines that the user wrote. @param {string} source */
export const wrapCommonJs = (source) => `(function (module, exports) { ${source}\n; return module.exports })`
