/** Words and phrases that say an ordinary thing in an unusual way. What to write instead is in docs/glossary.md. */

/** In text that users read, and in comments: whole words, whatever their case. */
const retiredPhrases: readonly string[] = [
  'told',
  'kept',
  'thing',
  'things',
  'stood',
  'whoever',
  'whomever',
  'whatsoever',
  'nobody',
  'dearer',
  'reckon',
  'reckons',
  'reckoned',
  'mend',
  'mended',
  'mends',
  'begun',
  'patience',
  'aside',
  'struck',
  'strikes',
  'stillness',
  'crew',
  'meanwhile',
  'nonetheless',
  'goes on',
  'go on',
  'gone on',
  'went on',
  'going on',
  'by itself',
  'by themselves',
  'of your own',
  "of one's own",
  'the platform inside',
  'platform inside',
  'platform elsewhere',
  'embedded platform',
  'throw-away',
  'take back',
  'takes back',
  'taken back',
  'taking back',
  'took back',
  'bring back',
  'brings back',
  'brought back',
  'put right',
  'puts right',
  'putting right',
  'without further ado',
  'unless told',
  'unless given',
  'unless said',
  'what became of',
  'what becomes of',
  'become of',
  'looked at',
  'looks at',
  'look at',
  'looked up',
  'looks up',
  'look up at',
  'made up',
  'made-up',
  'makes up',
  'to begin with',
  'way out',
  'way back',
  'left alone',
  'comes to nothing',
  'came to nothing',
  'on both sides',
  'under way',
  'turn its clock',
  'otherwise said',
  'needs consent',
  'in the clear',
]

/** The same for phrases that have ordinary uses as well: "there is no file", "is no longer", "as they are printed". */
const retiredPatterns: readonly RegExp[] = [
  /(?<!\bthere )(?<!\bthere's )\b(?:is|are|was|were) no(?! (?:longer|more|less|later|earlier|fewer)\b)(?= )/,
  /\bas (?:it|they|things) (?:is|are|was|were)(?=[.,;:)]|\s*$)/,
  /\bstands(?! for\b)/,
]

/** In text that users read alone: phrases that are ordinary in a comment. */
const retiredForUsers: readonly string[] = [
  'of its own',
  'of their own',
  'of ours',
  'of theirs',
  'left out',
  'leaves out',
  'leave out',
  'the version before',
]

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

const toPattern = (phrases: readonly string[]): RegExp =>
  new RegExp(
    [`(?<![\\w-])(?:${phrases.map(escaped).join('|')})(?![\\w-])`, ...retiredPatterns.map((it) => it.source)].join('|'),
    'gi',
  )

const inComments = toPattern(retiredPhrases)
const inTexts = toPattern([...retiredPhrases, ...retiredForUsers])

/** Lines of a paragraph as one, so that a phrase is found across a line break. */
const unwrapped = (text: string): string => text.replace(/\n\s*(?:\*\s)?/g, ' ')

/** The retired words of a text for users or of a comment, each with the text around it. */
export const retiredWordsIn = (text: string, { isComment = false } = {}): string[] =>
  text.split(/\n\s*\n/).flatMap((part) => {
    const paragraph = unwrapped(part)
    return [...paragraph.matchAll(isComment ? inComments : inTexts)].map(
      ({ 0: word, index }) => `"${word}" in "${paragraph.slice(Math.max(0, index - 60), index + 60).trim()}"`,
    )
  })

/** In names of the code: whole words of a camelCase or kebab-case name. */
const retiredInNames: ReadonlySet<string> = new Set([
  'told',
  'kept',
  'thing',
  'things',
  'stands',
  'standing',
  'whoever',
  'whose',
  'whom',
  'mend',
  'mended',
  'mends',
  'patience',
  'begun',
  'aside',
  'crew',
  'doubt',
  'doubts',
  'beside',
  'stillness',
  'steady',
  'dearer',
  'reckon',
  'longest',
  'most',
  'gave',
  'learnt',
  'asker',
  'speaks',
  'speaker',
  'arrived',
  'telling',
  'nobody',
  'somebody',
  'severe',
])

/** A name that is fixed: the term of an algorithm. */
const fixedNames: ReadonlySet<string> = new Set(['longestIncreasingSubsequence'])

const wordsIn = (name: string): string[] => name.split(/[^A-Za-z]+|(?<=[a-z])(?=[A-Z])/).map((it) => it.toLowerCase())

/** Whether a name of an identifier, file or folder has a retired word. */
export const isRetiredName = (name: string): boolean =>
  !fixedNames.has(name) && wordsIn(name).some((it) => retiredInNames.has(it))
