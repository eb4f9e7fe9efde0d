// Patterns of personal data in texts, for exports and for tests from real conversations.

export const ibanPattern = /\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,4})?\b/g
export const streetPattern =
  /\b\d{1,5}[a-z]? (?:\p{Lu}[\p{L}'-]+ ){1,3}(?:Street|St|Road|Rd|Avenue|Ave|Lane|Ln|Drive|Dr|Boulevard|Blvd|Square|Court|Place)\b\.?|(?<!\p{L})\p{Lu}[\p{L}-]*(?:straße|strasse|gasse|allee|platz|weg) \d{1,4}[a-z]?\b/gu
/** A date of birth: the first group has the words before it, the second the date. */
export const birthPattern =
  /\b((?:born|birthday|birth|dob|geboren|geburtstag)\b[^\d.]{0,20})(\d{4}-\d\d-\d\d|\d\d?[./-]\d\d?[./-]\d{2,4})/giu

/** Words before a name, and the name after them. In transcripts of speech, it may be in lower case. */
const statedNames: readonly (readonly [before: RegExp, name: RegExp])[] = [
  [
    /\b(?:my name is|my name's|i am called|i'm called) /giu,
    /^(?!(?:already|in|not|on|spelled|the|under)\b)\p{L}[\p{L}'’-]+(?: \p{Lu}[\p{L}'’-]+){0,2}/u,
  ],
  [/\b(?:this is|i'm|i am|it's) /giu, /^\p{Lu}[\p{L}'’-]+(?: \p{Lu}[\p{L}'’-]+){0,2}/u],
]

/** Returns the names that a text states of its writer. */
export const statedNamesIn = (text: string): string[] =>
  statedNames.flatMap(([before, name]) =>
    [...text.matchAll(before)].flatMap(({ 0: words, index }) => name.exec(text.slice(index + words.length))?.[0] ?? []),
  )
