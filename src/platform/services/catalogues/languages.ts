/** A language of the local platform; `iso` is its two-letter code. */
export interface Language {
  readonly id: number
  readonly name: string
  readonly iso: string
}

/** Names of languages by code. Their order gives the ids, so new ones are added at the end. */
const names = {
  en: 'English',
  es: 'Spanish',
  fr: 'French',
  de: 'German',
  it: 'Italian',
  pt: 'Portuguese',
  nl: 'Dutch',
  pl: 'Polish',
  da: 'Danish',
  sv: 'Swedish',
  no: 'Norwegian',
  fi: 'Finnish',
  he: 'Hebrew',
  ar: 'Arabic',
  tr: 'Turkish',
  ru: 'Russian',
  uk: 'Ukrainian',
  cs: 'Czech',
  sk: 'Slovak',
  hu: 'Hungarian',
  ro: 'Romanian',
  bg: 'Bulgarian',
  el: 'Greek',
  hr: 'Croatian',
  lt: 'Lithuanian',
  ja: 'Japanese',
  ko: 'Korean',
  zh: 'Chinese',
  hi: 'Hindi',
  id: 'Indonesian',
  vi: 'Vietnamese',
  th: 'Thai',
} as const

/** Two-letter code of a supported language. */
export type LanguageCode = keyof typeof names

/** Ids are positions in this order and must not change: add new languages at the end. */
export const languages: readonly Language[] = Object.entries(names).map(([iso, name], n) => ({ id: n + 1, name, iso }))

/** Returns the id of the language with this code. */
export const languageId = (iso: LanguageCode): number => Object.keys(names).indexOf(iso) + 1
