// @ts-check
/** A place in a source: line and column as the engine counts them. @typedef {{ line: number, column: number }} Place */

/**
 * Error messages of the engine, each with the message of V8 for the same error. Flows are written and tested on engines
 * with V8, and code compares messages.
 * @type {readonly (readonly [RegExp, string | ((match: RegExpExecArray, source: string, place: Place | undefined) => string | undefined)])[]}
 */
const messages = [
  [
    /^cannot read property 'Symbol\.iterator' of (undefined|null)$/,
    ([, value], source, place) =>
      isListPattern(source, place) && iteratedName(source, place) !== value
        ? `${value} is not iterable (cannot read property Symbol(Symbol.iterator))`
        : `${iteratedName(source, place) ?? value} is not iterable`,
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
  [/^not a (function|constructor)$/, (_, source, place) => notCallable(source, place)],
  [
    /^class constructors must be invoked with 'new'$/,
    (_, source, place) => {
      const name =
        calledName(source, place) ?? lineAt(source, place).match(/\bclass\s+([\p{L}_$][\p{L}\p{N}_$]*)/u)?.[1]
      return `Class constructor ${name ?? ''} cannot be invoked without 'new'`.replace('  ', ' ')
    },
  ],
  [
    /^'([^']*)' is read-only$/,
    ([, name = ''], source, place) =>
      new RegExp(
        String.raw`(?<![.\w$])${name.replaceAll('$', String.raw`\$`)}\s*(?:[-+*/%&|^?<>]{0,3}=(?!=)|\+\+|--)`,
      ).test(lineAt(source, place))
        ? 'Assignment to constant variable.'
        : `Cannot assign to read only property '${name}' of object '#<Object>'`,
  ],
  [
    /^this is not initialized$/,
    "Must call super constructor in derived class before accessing 'this' or returning from derived constructor",
  ],
  [/^(\S+) is not initialized$/, ([, name]) => `Cannot access '${name}' before initialization`],
  [/^invalid array length$/, 'Invalid array length'],
  [/^cannot convert symbol to (string|number)$/, ([, type]) => `Cannot convert a Symbol value to a ${type}`],
  [/^cannot convert BigInt to number$/, 'Cannot mix BigInt and other types, use explicit conversions'],
  [/^empty array$/, 'Reduce of empty array with no initial value'],
  [/^Date value is NaN$/, 'Invalid time value'],
  [/^circular reference$/, 'Converting circular structure to JSON'],
  [/^expecting hex digit$/, 'URI malformed'],
  [/^(?:expecting surrogate pair|malformed UTF-8)$/, 'URI malformed'],
  [/^toPrimitive$/, 'Cannot convert object to primitive value'],
  [/^BigInt division by zero$/, 'Division by zero'],
  [/^bigint argument with unary \+$/, 'Cannot convert a BigInt value to a number'],
  [/^BigInt operands are forbidden for >>>$/, 'BigInts have no unsigned right shift, use >> instead'],
  [/^BigInt negative exponent$/, 'Exponent must be non-negative'],
  [/^invalid string length$/, 'Invalid string length'],
  [/^invalid value used as WeakMap key$/, 'Invalid value used as weak map key'],
  [/^invalid value used as WeakSet key$/, 'Invalid value used in weak set'],
  [
    /^private class field '(#[^']*)' does not exist$/,
    ([, name]) => `Cannot read private member ${name} from an object whose class did not declare it`,
  ],
  [
    /^operand 'prototype' property is not an object$/,
    "Function has non-object prototype 'undefined' in instanceof check",
  ],
  [
    /^parent class must be constructor$/,
    (_, source, place) => {
      const name = following(source, place, /\bextends\s+([\p{L}\p{N}_$.]+)/u)?.[1]
      return name && `Class extends value ${name} is not a constructor or null`
    },
  ],
  [
    /^invalid 'in' operand$/,
    (_, source, place) => {
      const found = /(["'`])([^"'`]*)\1\s+in\s+([\w"'`]+)/.exec(lineAt(source, place))
      return `Cannot use 'in' operator to search for '${found?.[2] ?? ''}' in ${unquoted(found?.[3] ?? '')}`
    },
  ],
  [
    /^object is not extensible$/,
    (_, source, place) => {
      const name = /[\w)\]]\.([\p{L}_$][\p{L}\p{N}_$]*)\s*=(?!=)/u.exec(lineAt(source, place))?.[1]
      return name && `Cannot add property ${name}, object is not extensible`
    },
  ],
  [
    /^could not delete property$/,
    (_, source, place) => {
      const name = /\bdelete\b.*\.([\p{L}_$][\p{L}\p{N}_$]*)/u.exec(lineAt(source, place))?.[1]
      return name && `Cannot delete property '${name}' of #<Object>`
    },
  ],
  [
    /^no setter for property$/,
    (_, source, place) => {
      const name = /\.([\p{L}_$][\p{L}\p{N}_$]*)\s*=(?!=)/u.exec(lineAt(source, place))?.[1]
      return name && `Cannot set property ${name} of #<Object> which has only a getter`
    },
  ],
  [/^invalid 'instanceof' right operand$/, "Right-hand side of 'instanceof' is not callable"],
  [/^unexpected token: '(undefined|\[object Object\]|NaN)'$/, ([, text]) => `"${text}" is not valid JSON`],
]

/** What a function of the engine was given, for its message. @typedef {{ text: string, isLiteral: boolean }} Argument */

const iterable = '(cannot read property Symbol(Symbol.iterator))'
/** @param {Argument} it */
const described = ({ text, isLiteral }) =>
  !isLiteral || text === 'undefined'
    ? 'object'
    : text === 'null'
      ? 'object null'
      : `${/^["'`]/.test(text) ? 'string' : 'number'} ${unquoted(text)}`
/** @param {Argument} it */
const valueSuffix = ({ text, isLiteral }) => (isLiteral ? `: ${unquoted(text)}` : '')
/** @param {Argument} it */
const shown = ({ text, isLiteral }) => (isLiteral ? unquoted(text) : /^\{/.test(text) ? '#<Object>' : 'undefined')

/**
 * Messages of errors that functions of the engine throw, by a pattern of the function and the message.
 * @type {readonly (readonly [RegExp, RegExp, (given: Argument, name: string) => string | undefined])[]}
 */
const nativeMessages = [
  [/^sort$/, /^not a function$/, () => 'The comparison function must be either a function or undefined'],
  [/^Promise$/, /^not a function$/, (it) => `Promise resolver ${shown(it)} is not a function`],
  [/./, /^not a function$/, (it) => `${shown(it)} is not a function`],
  [/./, /^cannot convert BigInt to number$/, () => 'Cannot convert a BigInt value to a number'],
  [
    /^to(?:Fixed|Exponential)$/,
    /^invalid number of digits$/,
    (_, name) => `${name}() ${name === 'toFixed' ? 'digits argument' : 'argument'} must be between 0 and 100`,
  ],
  [/^toPrecision$/, /^invalid number of digits$/, () => 'toPrecision() argument must be between 1 and 100'],
  [/^repeat$/, /^invalid repeat count$/, (it) => `Invalid count value${valueSuffix(it)}`],
  [/^fromCodePoint$/, /^invalid code point$/, (it) => (it.isLiteral ? `Invalid code point ${it.text}` : undefined)],
  [/^normalize$/, /^bad normalization form$/, () => 'The normalization form should be one of NFC, NFD, NFKC, NFKD.'],
  [
    /^(?:startsWith|endsWith|includes)$/,
    /^regexp not supported$/,
    (_, name) => `First argument to String.prototype.${name} must not be a regular expression`,
  ],
  [
    /^(?:matchAll|replaceAll)$/,
    /^regexp must have the 'g' flag$/,
    (_, name) => `String.prototype.${name} called with a non-global RegExp argument`,
  ],
  [
    /^(?:Map|WeakMap|fromEntries)$/,
    /^not an object$/,
    (it) => `Iterator value ${/^\[\s*([\w"'`]+)/.exec(it.text)?.[1] ?? 'undefined'} is not an entry object`,
  ],
  [/./, /^(?:value|object) is not iterable$/, (it) => `${described(it)} is not iterable ${iterable}`],
  [/./, /^cannot read property 'Symbol\.iterator' of undefined$/, () => `undefined is not iterable ${iterable}`],
  [/./, /^cannot read property 'Symbol\.iterator' of null$/, () => `object null is not iterable ${iterable}`],
  [
    /^BigInt$/,
    /^cannot convert (?:to BigInt: not an integer|NaN or Infinity to BigInt)$/,
    (site) =>
      site.isLiteral && site.text !== 'undefined'
        ? `The number ${site.text} cannot be converted to a BigInt because it is not an integer`
        : undefined,
  ],
  [
    /^BigInt$/,
    /^(?:invalid BigInt literal|cannot convert to BigInt)$/,
    (it) => (it.isLiteral ? `Cannot convert ${unquoted(it.text)} to a BigInt` : undefined),
  ],
  [
    /^(?:create|setPrototypeOf)$/,
    /^(?:object prototype may only be an Object or null|not an object)$/,
    (it, name) => `Object prototype may only be an Object or null${name === 'create' ? valueSuffix(it) : ''}`,
  ],
  [/^getPrototypeOf$/, /^not an object$/, () => 'Cannot convert undefined or null to object'],
  [/^definePropert(?:y|ies)$/, /^not an object$/, (_, name) => `Object.${name} called on non-object`],
  [/^Proxy$/, /^not an object$/, () => 'Cannot create proxy with a non-object as target or handler'],
  [/^(?:Map|Set|WeakMap|WeakSet)$/, /^must be called with new$/, (_, name) => `Constructor ${name} requires 'new'`],
  [/^Promise$/, /^must be called with new$/, () => "Promise constructor cannot be invoked without 'new'"],
  [/^(?:RegExp|match|matchAll|search|split|replace)$/, /^(?!not a|cannot)/, (it) => regexpMessage(it)],
]

/** Lets V8 say what is wrong with a regular expression that is written in the source. @param {Argument} given */
function regexpMessage({ text, isLiteral }) {
  if (!isLiteral || !/^["'`]/.test(text)) return undefined
  try {
    const [pattern, flags] = JSON.parse(
      `[${text.replaceAll(/(["'`])((?:\\.|(?!\1).)*)\1/g, (_, quote, it) => `"${quote === '"' ? it : it.replaceAll('"', '\\"')}"`)}]`,
    )
    new RegExp(pattern, flags)
  } catch (error) {
    return /** @type {Error} */ (error).message.startsWith('Invalid') ? /** @type {Error} */ (error).message : undefined
  }
  return undefined
}

/** Returns the arguments of the call at a place. @param {string} source @param {Place | undefined} place @returns {Argument} */
function argumentAt(source, place) {
  const text = /^[\p{L}\p{N}_$]*\s*\(([^\n]*)$/u.exec(lineAt(source, place).slice(startOf(place)))?.[1] ?? ''
  const end = endOfArguments(text)
  const whole = text.slice(0, end).trim() || 'undefined'
  return {
    text: whole,
    isLiteral:
      /^(?:-?[\d.]+n?|NaN|-?Infinity|undefined|null|true|false|(["'`])(?:\\.|(?!\1).)*\1(?:\s*,\s*(["'`])\w*\2)?)$/.test(
        whole,
      ),
  }
}

/** Returns where the bracket closes that is open before a text, outside quotes. @param {string} text */
function endOfArguments(text) {
  let depth = 0
  for (const { 0: token, index } of text.matchAll(/(["'`])(?:\\.|(?!\1).)*\1|[([{]|[)\]}]/g)) {
    if ('([{'.includes(token)) depth++
    else if (')]}'.includes(token) && depth-- === 0) return index
  }
  return text.length
}

/** @param {string} text */
const unquoted = (text) => text.replace(/^(["'`])(.*)\1$/, '$2')

/** @param {Place | undefined} place */
const startOf = (place) => (place ? (place.line === 1 ? place.column : place.column - 1) : 0)

/** @param {string} source @param {Place | undefined} place */
const lineAt = (source, place) => (place ? (source.split('\n')[place.line - 1] ?? '') : '')

/** Finds what is written at a place or after it: the engine gives the start of the function for patterns. @param {string} source @param {Place | undefined} place @param {RegExp} pattern */
function following(source, place, pattern) {
  if (!place) return undefined
  return pattern.exec(
    source
      .split('\n')
      .slice(place.line - 1)
      .join('\n'),
  )
}

/** @param {string} source @param {Place | undefined} place */
const isListPattern = (source, place) =>
  !/\bof\b|\.\.\./.test(lineAt(source, place)) &&
  following(source, place, /\[[^\][]*\]\s*=(?!=)|\(\s*\[[^\][]*\]\s*\)/) !== null

/** Returns what a line iterates over, if it is written there: `for (const it of inputs.list)`, `...inputs.list`, `[a] = b`. @param {string} source @param {Place | undefined} place */
function iteratedName(source, place) {
  const path = String.raw`([\p{L}_$][\p{L}\p{N}_$]*(?:\??\.[\p{L}_$][\p{L}\p{N}_$]*)*|\{\}|\d+)(?![\w$]*[\[(.])`
  const on = new RegExp(String.raw`(?:\bof\s+|\.\.\.\s*|\]\s*=\s*)${path}`, 'u')
  return (on.exec(lineAt(source, place)) ?? following(source, place, on))?.[1]
}

/** @param {string} source @param {Place | undefined} place */
function destructured(source, place) {
  if (/\b(?:Object|Reflect)\s*\./.test(lineAt(source, place))) return undefined
  const name = String.raw`[\p{L}_$][\p{L}\p{N}_$]*`
  const found = following(
    source,
    place,
    new RegExp(
      String.raw`\{\s*(\.\.\.\s*)?(${name})?(\s*:\s*\{\s*(${name}))?[^{}=]*(?:\}\s*)+(?:=(?![=>])\s*(?:await\s+)?([\p{L}_$][\p{L}\p{N}_$.?]*)|\s*(?:\)|,[^()]*\))\s*(?:=>|\{))`,
      'u',
    ),
  )
  if (!found) return undefined
  const [, isRest, field, , inner, of = 'undefined'] = found
  if (inner !== undefined) return `Cannot read properties of undefined (reading '${inner}')`
  const value = of === 'null' ? 'null' : 'undefined'
  return field === undefined || isRest
    ? `Cannot destructure '${of}' as it is ${value}.`
    : `Cannot destructure property '${field}' of '${of}' as it is ${value}.`
}

const closing = { ')': '(', ']': '[' }

/** Returns the start of the brackets that end before a place in a line; -1 without a pair. @param {string} text @param {number} end */
function openingOf(text, end) {
  const close = /** @type {')' | ']'} */ (text[end - 1])
  let depth = 0
  for (let at = end - 1; at >= 0; at--) {
    if (text[at] === close) depth++
    else if (text[at] === closing[close] && --depth === 0) return at
  }
  return -1
}

/** Returns a chain of names as V8 writes it: `inputs.list[0].find(...)`, from the start of its last name. @param {string} text @param {number} end */
function chainBefore(text, end) {
  const dot = /(?:\?\.|\.)$/.exec(text.slice(0, end))
  if (!dot) return ''
  let at = end - dot[0].length
  let said = ''
  for (;;) {
    const before = text.slice(0, at)
    if (/[)\]]$/.test(before)) {
      const start = openingOf(text, at)
      if (start < 0) return undefined
      const inside = text.slice(start + 1, at - 1).trim()
      const isOwned =
        /[\p{L}\p{N}_$)\]]$/u.test(text.slice(0, start)) &&
        !/\b(?:return|await|new|typeof|in|of)$/.test(text.slice(0, start))
      if (!isOwned) return before.endsWith(')') ? `(intermediate value)${said}${dot[0]}` : undefined
      const key = /^(["'`])([\p{L}_$][\p{L}\p{N}_$]*)\1$/u.exec(inside)?.[2]
      said = `${before.endsWith(')') ? '(...)' : key === undefined ? `[${inside}]` : `.${key}`}${said}`
      at = start
      continue
    }
    const name = /[\p{L}_$][\p{L}\p{N}_$]*$/u.exec(before)?.[0]
    if (name === undefined) return undefined
    if (/\bnew\s+$/.test(before.slice(0, -name.length))) return `(intermediate value)${dot[0]}`
    said = `${name}${said}`
    at -= name.length
    const more = /(?:\?\.|\.)$/.exec(text.slice(0, at))
    if (!more) return `${said}${dot[0]}`
    said = `${more[0]}${said}`
    at -= more[0].length
  }
}

/**
 * Returns what a source calls at a place, such as `inputs.day.trim`, or undefined if no name is there. The engine says
 * only "not a function" and the place of the name, which counts from 0 in the first line and from 1 in the others.
 * @param {string} source @param {Place | undefined} place
 */
function calledName(source, place) {
  const text = lineAt(source, place)
  const start = startOf(place)
  const name = /^[\p{L}_$][\p{L}\p{N}_$]*/u.exec(text.slice(start))?.[0]
  if (name === undefined || /[\p{L}\p{N}_$]$/u.test(text.slice(0, start))) return undefined
  let called = name
  let rest = text.slice(start + name.length)
  for (;;) {
    const key = /^\s*(?:\[\s*(?:(\w+)|(["'`])([\p{L}_$][\p{L}\p{N}_$]*)\2)\s*\]|\.([\p{L}_$][\p{L}\p{N}_$]*))/u.exec(
      rest,
    )
    if (!key) break
    called += key[1] === undefined ? `.${key[3] ?? key[4]}` : `[${key[1]}]`
    rest = rest.slice(key[0].length)
  }
  if (!/^\s*(?:\?\.)?\(/.test(rest)) return undefined
  const owner = chainBefore(text, start)
  const whole = `${owner ?? ''}${called}`
  return whole.length <= 100 ? whole : called
}

/** @param {string} source @param {Place | undefined} place */
function notCallable(source, place) {
  const text = lineAt(source, place)
  const constructed = /\bnew\s+([\p{L}_$][\p{L}\p{N}_$.]*)\s*\(/u.exec(text)
  const name = calledName(source, place) ?? constructed?.[1]
  if (name === undefined) return undefined
  return `${name} is not a ${constructed && constructed[1] === name ? 'constructor' : 'function'}`
}

/**
 * Returns the message of V8 for an error of the engine, or the message itself. @param {string} message
 * @param {string} source @param {Place} [place] of the error in the source @param {string} [native] the function of the
 * engine that threw it
 */
export function v8Message(message, source, place, native) {
  if (native !== undefined) {
    const given = argumentAt(source, place)
    for (const [name, pattern, replacement] of nativeMessages)
      if (name.test(native) && pattern.test(message)) {
        const text = replacement(given, native)
        if (text !== undefined) return text
      }
  }
  for (const [pattern, replacement] of messages) {
    const match = pattern.exec(message)
    if (match) return (typeof replacement === 'string' ? replacement : replacement(match, source, place)) ?? message
  }
  return message
}

/** Returns what V8 says of a text that is not JSON; empty if it is JSON. @param {string} text */
export function jsonMessage(text) {
  try {
    JSON.parse(text)
    return ''
  } catch (error) {
    return /** @type {Error} */ (error).message
  }
}
