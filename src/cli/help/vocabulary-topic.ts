import { publicVocabulary } from '../../contract/vocabulary/public-vocabulary.ts'
import type { WordMap } from '../../contract/vocabulary/vocabulary.ts'
import { alignedRows, wrap } from '../terminal/wrap-text.ts'

const vocabularyParts: Readonly<Record<string, string>> = {
  extends: 'public, to change or add to those words; without it only what the file says is spelled otherwise',
  paths: 'Segments of paths: {"messaging": "chat"}',
  keys: 'Names of fields and of query parameters: {"channel_message_id": "chat_message_id"}',
  values: 'Values by the field they stand in: {"type": {"messaging": "chat"}}',
  prefixes: 'Beginnings of values by field, and of names under "*": {"*": {"cal_a_": "calendar1_"}}',
  decimals: 'Fields answered as text with so many decimals: {"llm_temperature": 2}',
  bits: 'Fields answered as 0 and 1: ["fillers"]',
  wrapped: 'Lists whose items are answered as {type, data}: {"tools": "data"}',
}

/** Where deployments are known to differ from the contract. */
const routeExample = {
  'campaigns.create': { path: '/api/user/campaigns' },
  'leads.update': { path: '/api/leads/{id}' },
  'replies.generate': { path: '/api/ai/generate-reply' },
  'folders.create': { path: '/api/user/folders' },
  'numbers.search': { query: { contains: 'pattern' } },
}

const pairs = (words: WordMap, where = '', after = ''): [string, string][] =>
  Object.entries(words).map(([neutral, wire]) => [`${where}${neutral}${after}`, `${wire}${after}`])

/** The words of the public vocabulary: ours, and theirs. */
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

/** The help topic on words and routes, made of the tables themselves. */
export const vocabularyTopic = (width: number): string =>
  `${[
    'Vocabulary and routes',
    wrap(
      'Commands, output and files use neutral words. A deployment may spell them its own way: a profile says how, and names are translated both ways. Names people choose themselves (variables, headers, samples) are left alone, and so is what nobody knows.',
      width,
      '',
    ),
    'parley profile set production --vocabulary public\nparley profile set production --vocabulary words.yaml\nparley server start --vocabulary public',
    `The public vocabulary\n\n${alignedRows(publicWords(), width)}`,
    `A file of your own (JSON or YAML)\n\n${alignedRows(Object.entries(vocabularyParts), width)}`,
    wrap('A vocabulary in which two words become one is refused: what is sent has to come back as it was.', width, ''),
    `Routes\n\n${wrap('Where a deployment has another path, or other names for what an endpoint takes, a file says so by endpoint (parley api --list): path, query, body. Parameters of a path keep their names.', width, '')}`,
    'parley profile set production --routes routes.json',
    JSON.stringify(routeExample, null, 2),
  ].join('\n\n')}\n`
