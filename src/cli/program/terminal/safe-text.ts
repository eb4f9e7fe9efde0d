// Texts of platforms and files may have sequences that a terminal carries out. Output, notes, prompts and tables pass what they print
// for people through this file; code that writes to a stream itself has to do the same.

// Complete sequences first (CSI; OSC, DCS, SOS, PM and APC with their text; short escapes), then remaining control and
// direction characters. An unterminated sequence loses only its introducer, because removing the rest would hide text.
const unsafePattern =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)|\x1b[ -/]+[0-~]|\x1b[0-OQ-WYZ\\`-~]|[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const suspectPattern = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/
// Either of the above and line breaks: most text has none of them, and one test is faster than two.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const unusualPattern = /[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]/
const breaksPattern = /[\t\n\u2028\u2029]+/g

/** Removes control and escape sequences and direction changes from untrusted text. Tabs and line breaks remain. */
export function safeText(text: string): string {
  return suspectPattern.test(text) ? text.replace(unsafePattern, '') : text
}

/** Removes the same and puts the text on one line: tabs and line breaks become a space. */
export function safeLine(text: string): string {
  if (!unusualPattern.test(text)) return text
  const safe = safeText(text)
  const line = safe.replace(breaksPattern, ' ')
  return line === safe ? safe : line.trim()
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const controlsPattern = /[\x00-\x08\x0b-\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g

/**
 * Writes control characters and direction changes as `\u001b`, in JSON the same value. Tabs and line breaks remain.
 */
export const escapeControls = (text: string): string =>
  suspectPattern.test(text)
    ? text.replace(controlsPattern, (it) => `\\u${it.charCodeAt(0).toString(16).padStart(4, '0')}`)
    : text
