/** Letters and symbols that decomposition does not turn into Latin letters. */
const replacements: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ß: 'ss',
    æ: 'ae',
    Æ: 'AE',
    œ: 'oe',
    Œ: 'OE',
    ø: 'o',
    Ø: 'O',
    ł: 'l',
    Ł: 'L',
    đ: 'd',
    Đ: 'D',
    ð: 'd',
    Ð: 'D',
    þ: 'th',
    Þ: 'TH',
    ı: 'i',
    '&': 'and',
    '|': 'or',
    '<': 'less',
    '>': 'greater',
    '%': 'percent',
    $: 'dollar',
    '€': 'euro',
    '£': 'pound',
    '¥': 'yen',
  }),
)

/**
 * Returns a text for use in URLs: letters without accents, words joined with hyphens, other characters removed. Upper
 * case is preserved, and so are letters of scripts that are not Latin.
 */
export const slugify = (text: string): string =>
  [...text]
    .map((it) => replacements.get(it) ?? it)
    .join('')
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^\p{L}\p{N}_\s*+~.()'"!\-:@]/gu, '')
    .trim()
    .replace(/[-\s]+/g, '-')
