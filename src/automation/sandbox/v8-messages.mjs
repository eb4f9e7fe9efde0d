// @ts-check
import { calledName } from './called-name.mjs'

/** A place in a source: line and column as the engine counts them. @typedef {{ line: number, column: number }} Place */

/**
 * Error messages of the engine, each with the message of V8 for the same error. Flows are written and tested on engines
 * with V8, and code compares messages.
 * @type {readonly (readonly [RegExp, string | ((match: RegExpExecArray, source: string, place: Place | undefined) => string | undefined)])[]}
 */
const messages = [
  [
    /^cannot read property 'Symbol\.iterator' of (undefined|null)$/,
    ([, value], source, place) => `${iteratedName(source, place) ?? value} is not iterable`,
  ],
  [
    /^cannot read property '([\s\S]*)' of (undefined|null)$/,
    ([, name, value]) => `Cannot read properties of ${value} (reading '${name}')`,
  ],
  [
    /^cannot set property '([\s\S]*)' of (undefined|null)$/,
    ([, name, value]) => `Cannot set properties of ${value} (setting '${name}')`,
  ],
  [/^value is not iterable$/, (_, source, place) => `${iteratedName(source, place) ?? 'object'} is not iterable`],
  [/^Cannot convert undefined or null to object$/, (_, source, place) => destructured(source, place)],
  [/^not a function$/, (_, source, place) => notCallable(source, place)],
  [
    /^class constructors must be invoked with 'new'$/,
    (_, source, place) => {
      const name = place && calledName(source, place.line, place.column)
      return `Class constructor ${name ?? ''} cannot be invoked without 'new'`.replace('  ', ' ')
    },
  ],
  [
    /^'([^']*)' is read-only$/,
    ([, name = ''], source, place) =>
      place &&
      new RegExp(
        String.raw`(?<![.\w$])${name.replaceAll('$', String.raw`\$`)}\s*(?:[-+*/%&|^?<>]{0,3}=(?!=)|\+\+|--)`,
      ).test(lineOf(source, place))
        ? 'Assignment to constant variable.'
        : `Cannot assign to read only property '${name}' of object '#<Object>'`,
  ],
  [/^(\S+) is not initialized$/, ([, name]) => `Cannot access '${name}' before initialization`],
  [/^invalid array length$/, 'Invalid array length'],
  [/^cannot convert symbol to (string|number)$/, ([, type]) => `Cannot convert a Symbol value to a ${type}`],
  [/^cannot convert BigInt to number$/, 'Cannot mix BigInt and other types, use explicit conversions'],
  [/^empty array$/, 'Reduce of empty array with no initial value'],
  [/^Date value is NaN$/, 'Invalid time value'],
  [/^circular reference$/, 'Converting circular structure to JSON'],
  [/^expecting hex digit$/, 'URI malformed'],
  [/^invalid 'instanceof' right operand$/, "Right-hand side of 'instanceof' is not callable"],
  [/^unexpected token: '(undefined|\[object Object\]|NaN)'$/, ([, text]) => `"${text}" is not valid JSON`],
]

/** @param {string} source @param {Place} place */
const lineOf = (source, { line }) => source.split('\n')[line - 1] ?? ''

/** Returns what a line iterates over, if it is written there: `for (const it of inputs.list)`, `...inputs.list`, `[a] = b`. @param {string} source @param {Place | undefined} place */
function iteratedName(source, place) {
  const path = String.raw`([\p{L}_$][\p{L}\p{N}_$]*(?:\??\.[\p{L}_$][\p{L}\p{N}_$]*)*)(?![\w$]*[\[(.])`
  const found = place && new RegExp(String.raw`(?:\bof\s+|\.\.\.\s*|\]\s*=\s*)${path}`, 'u').exec(lineOf(source, place))
  return found?.[1]
}

/** @param {string} source @param {Place | undefined} place */
function destructured(source, place) {
  const line = place ? lineOf(source, place) : ''
  if (/\bObject\s*\.|Reflect\s*\./.test(line)) return undefined
  const found = /\{\s*([\p{L}_$][\p{L}\p{N}_$]*)[^{}=]*\}\s*=\s*(?:await\s+)?([\p{L}_$][\p{L}\p{N}_$.?]*)/u.exec(line)
  return found ? `Cannot destructure property '${found[1]}' of '${found[2]}' as it is undefined.` : undefined
}

/** @param {string} source @param {Place | undefined} place */
function notCallable(source, place) {
  if (!place) return undefined
  const before = lineOf(source, place)
  const name =
    calledName(source, place.line, place.column) ?? /\bnew\s+([\p{L}_$][\p{L}\p{N}_$.]*)\s*\(/u.exec(before)?.[1]
  if (name === undefined) return undefined
  const isConstructed = new RegExp(String.raw`\bnew\s+${name.replaceAll(/[$.?]/g, String.raw`\$&`)}\s*\(`).test(before)
  return `${name} is not a ${isConstructed ? 'constructor' : 'function'}`
}

/**
 * Returns the message of V8 for an error of the engine, or the message itself. @param {string} message
 * @param {string} source @param {Place} [place] of the error in the source @param {boolean} [isNative] whether it was
 * thrown inside a function of the engine
 */
export function v8Message(message, source, place, isNative = false) {
  // A function of the engine was given something else to call, or to convert.
  if (isNative && message === 'not a function') return 'undefined is not a function'
  if (isNative && message === 'cannot convert BigInt to number') return 'Cannot convert a BigInt value to a number'
  for (const [pattern, replacement] of messages) {
    const match = pattern.exec(message)
    if (match) return (typeof replacement === 'string' ? replacement : replacement(match, source, place)) ?? message
  }
  return message
}
