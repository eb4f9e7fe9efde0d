/** Words and phrases that say an ordinary thing in an unusual way. What to write instead is in docs/glossary.md. */

/** In text that users read, and in comments: whole words, whatever their case. */
const retiredPhrases: readonly string[] = [
  'told',
  'kept',
  'thing',
  'things',
  'stands',
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
  'of its own',
  'of their own',
  'of ours',
  'of theirs',
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
  'left out',
  'leaves out',
  'comes to nothing',
  'came to nothing',
  'on both sides',
  'under way',
  'turn its clock',
  'otherwise said',
  'the version before',
  'needs consent',
  'in the clear',
]

/** The same for phrases that have ordinary uses as well: "there is no file", "is no longer", "as they are printed". */
const retiredPatterns: readonly RegExp[] = [
  /(?<!\bthere )(?<!\bthere's )\b(?:is|are|was|were) no(?! (?:longer|more|less|later|earlier|fewer)\b)(?= )/,
  /\bas (?:it|they|things) (?:is|are|was|were)(?=[.,;:)]|$)/,
]

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

const retiredInText = new RegExp(
  [`(?<![\\w-])(?:${retiredPhrases.map(escaped).join('|')})(?![\\w-])`, ...retiredPatterns.map((it) => it.source)].join(
    '|',
  ),
  'gim',
)

/** The retired words and phrases of a text, each once. */
export const retiredWordsIn = (text: string): string[] => [
  ...new Set(text.match(retiredInText)?.map((it) => it.toLowerCase())),
]

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

/** Names that are fixed: a field of the output of 0.1, and the term of an algorithm. */
const fixedNames: ReadonlySet<string> = new Set(['standing', 'longestIncreasingSubsequence'])

const wordsIn = (name: string): string[] =>
  name.split(/[^A-Za-z]+|(?<=[a-z])(?=[A-Z])/).map((it) => it.toLowerCase())

/** Whether a name of an identifier, file or folder has a retired word. */
export const isRetiredName = (name: string): boolean =>
  !fixedNames.has(name) && wordsIn(name).some((it) => retiredInNames.has(it))
