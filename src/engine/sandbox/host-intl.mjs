// @ts-check
// Formats values with the Intl of Node for the virtual machine, whose engine has none. Only plain data is passed.

/**
 * Methods that code can call, by class.
 * @type {Readonly<Record<string, readonly string[]>>}
 */
const methods = {
  NumberFormat: ['format', 'formatToParts', 'formatRange', 'formatRangeToParts'],
  DateTimeFormat: ['format', 'formatToParts', 'formatRange', 'formatRangeToParts'],
  PluralRules: ['select', 'selectRange'],
  RelativeTimeFormat: ['format', 'formatToParts'],
  ListFormat: ['format', 'formatToParts'],
  Collator: ['compare'],
  DisplayNames: ['of'],
  Segmenter: ['segment'],
}
/** Language of code that names none: the program must not depend on the machine. */
const defaultLocale = 'en-US'

/** Formatters by their arguments, because creating one takes longer than using it. @type {Map<string, any>} */
const formatters = new Map()
const maxFormatters = 100

/** @param {string} name @param {unknown} locales @param {Record<string, unknown> | undefined} options */
function formatterOf(name, locales, options) {
  if (!Object.hasOwn(methods, name)) throw new TypeError(`Intl.${name} is not available in a code step`)
  const key = JSON.stringify([name, locales, options])
  const known = formatters.get(key)
  if (known) return known
  const withZone = name === 'DateTimeFormat' ? { timeZone: 'UTC', ...options } : options
  const formatter = new /** @type {any} */ (Intl)[name](locales ?? defaultLocale, withZone)
  if (formatters.size >= maxFormatters) formatters.clear()
  formatters.set(key, formatter)
  return formatter
}

/** @typedef {{ bigint?: string, number?: string, text?: string, list?: Encoded[] }} Encoded a value that JSON may not have */

/** @param {Encoded} it @returns {unknown} */
const decode = ({ bigint, number, text, list }) =>
  bigint !== undefined
    ? BigInt(bigint)
    : number !== undefined
      ? Number(number)
      : list !== undefined
        ? list.map(decode)
        : text

/** What code can ask for, by name. @type {Readonly<Record<string, (...args: any[]) => unknown>>} */
const answers = {
  create: (name, locales, options) => void formatterOf(name, locales, options),
  options: (name, locales, options) => formatterOf(name, locales, options).resolvedOptions(),
  call(name, locales, options, method, args) {
    const formatter = formatterOf(name, locales, options)
    if (!methods[name]?.includes(method)) throw new TypeError(`${method} is not a function`)
    const result = formatter[method](...args.map(decode))
    return name === 'Segmenter' ? [...result].map(({ input: _, ...segment }) => segment) : result
  },
  supportedLocales: (name, locales, options) => /** @type {any} */ (Intl)[name].supportedLocalesOf(locales, options),
  canonicalLocales: (locales) => Intl.getCanonicalLocales(locales),
  supportedValues: (key) => Intl.supportedValuesOf(key),
  dateText: (method, ms, locales, options) =>
    /** @type {any} */ (new Date(Number(ms)))[method](locales ?? defaultLocale, { timeZone: 'UTC', ...options }),
  caseText: (method, text, locales) => text[method](locales),
  locale(tag, options, change) {
    const given = new Intl.Locale(tag, options)
    const { baseName, language, region, script, calendar, collation, hourCycle, caseFirst, numberingSystem, numeric } =
      change === 'maximize' || change === 'minimize' ? given[/** @type {'maximize'} */ (change)]() : given
    const fields = { language, region, script, calendar, collation, hourCycle, caseFirst, numberingSystem, numeric }
    return { baseName, ...fields, tag: change ? String(given[/** @type {'maximize'} */ (change)]()) : String(given) }
  },
}

/** Answers a request of the virtual machine. @param {string} request JSON @returns {string} JSON with `value` or `error` */
export function answerIntl(request) {
  try {
    const [kind, ...args] = JSON.parse(request)
    return JSON.stringify({ value: answers[kind]?.(...args.map((/** @type {unknown} */ it) => it ?? undefined)) })
  } catch (error) {
    const { name, message } = /** @type {Error} */ (error)
    return JSON.stringify({ error: { name, message } })
  }
}
