import { publicVocabulary } from '../../../contract/vocabulary/public-vocabulary.ts'
import type { Vocabulary, WordMap } from '../../../contract/vocabulary/vocabulary.ts'
import { stringifyJson } from '../../../node/json.ts'
import { alignedRows, wrap } from '../../program/terminal/wrap-text.ts'

const vocabularyParts: Readonly<Record<'extends' | keyof Vocabulary, string>> = {
  extends: 'public, to change or extend the public vocabulary; without it, only the words in the file differ',
  paths: 'Path segments: {"messaging": "chat"}',
  keys: 'Names of fields and query parameters: {"channel_message_id": "chat_message_id"}',
  values: 'Values by field: {"type": {"messaging": "chat"}}',
  prefixes: 'Prefixes of values by field, and of names under "*": {"*": {"cal_a_": "calendar1_"}}',
  decimals: 'Fields returned as text, with their number of decimals: {"llm_temperature": 2}',
  bits: 'Fields returned as 0 and 1: ["fillers"]',
  wrapped: 'Lists whose items are returned as {type, data}: {"tools": "data"}',
}

/** Known differences between deployments and the contract. */
const routeExample = {
  'campaigns.create': { path: '/api/user/campaigns' },
  'leads.update': { path: '/api/leads/{id}' },
  'replies.generate': { path: '/api/ai/generate-reply' },
  'folders.create': { path: '/api/user/folders' },
  'numbers.search': { query: { contains: 'pattern' } },
}

const pairs = (words: WordMap, where = '', after = ''): [string, string][] =>
  Object.entries(words).map(([neutral, wire]) => [`${where}${neutral}${after}`, `${wire}${after}`])

/** Returns the words of the public vocabulary: neutral and public. */
function publicWords(): [string, string][] {
  const { paths, keys, values, prefixes } = publicVocabulary
  return [
    ...Object.entries(paths).map(([neutral, wire]): [string, string] => [`/${neutral}/`, `/${wire}/`]),
    ...pairs(keys),
    ...pairs(prefixes['*'] ?? {}, '', '…'),
    ...Object.entries(values).flatMap(([key, words]) => pairs(words, `${key}: `)),
    ...Object.entries(prefixes).flatMap(([key, words]) => (key === '*' ? [] : pairs(words, `${key}: `, '…'))),
  ]
}

/** Renders the help topic about vocabulary and routes from the vocabulary tables. */
export const vocabularyTopic = (width: number): string =>
  `${[
    'Vocabulary and routes',
    wrap(
      'Commands, output and files use neutral names. A deployment may use other names. A profile sets the vocabulary, and names are translated in both directions. Names that users choose (variables, headers, samples) and unknown names are not translated.',
      width,
      '',
    ),
    'parley profile set production --vocabulary public\nparley profile set production --vocabulary words.yaml\nparley server start --vocabulary public',
    `The public vocabulary\n\n${alignedRows(publicWords(), width)}`,
    `Vocabulary file (JSON or YAML)\n\n${alignedRows(Object.entries(vocabularyParts), width)}`,
    wrap(
      'A vocabulary that maps two words to the same word is rejected, because it cannot be translated back.',
      width,
      '',
    ),
    `Routes\n\n${wrap('If a deployment uses another path or other parameter names, a routes file sets path, query and body by endpoint (parley api --list). Path parameters keep their names.', width, '')}`,
    'parley profile set production --routes routes.json',
    stringifyJson(routeExample, null, 2),
  ].join('\n\n')}\n`
