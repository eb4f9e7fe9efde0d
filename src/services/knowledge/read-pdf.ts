/** Returns the text of a PDF file, page after page: texts in standard encodings, not those of embedded subsets. */
export function readPdf(bytes: Buffer, inflate: (bytes: Buffer) => Buffer): string | undefined {
  const file = bytes.toString('latin1')
  if (!file.startsWith('%PDF-')) return undefined
  const texts: string[] = []
  for (const match of file.matchAll(/<<((?:(?!stream\r?\n|endobj)[\s\S])*)>>\s*stream\r?\n/g)) {
    const [all, dictionary = ''] = match
    if (/\/Subtype\s*\/(?:Image|Type1C|OpenType)|\/FontFile|\/Length1\b|\/Type\s*\/(?:XRef|ObjStm)/.test(dictionary))
      continue
    const start = match.index + all.length
    const end = file.indexOf('endstream', start)
    if (end < 0) continue
    const content = readStream(bytes.subarray(start, end), dictionary, inflate)
    if (content !== undefined && /\bBT\b/.test(content)) texts.push(textOf(content))
  }
  return texts.filter((it) => it !== '').join('\n\n')
}

function readStream(bytes: Buffer, dictionary: string, inflate: (bytes: Buffer) => Buffer): string | undefined {
  if (!/\/Filter/.test(dictionary)) return bytes.toString('latin1')
  if (!/\/Filter\s*\[?\s*\/FlateDecode\s*\]?/.test(dictionary)) return undefined
  try {
    return inflate(bytes).toString('latin1')
  } catch {
    return undefined
  }
}

const operator =
  /\((?:[^()\\]|\\[\s\S]|\((?:[^()\\]|\\[\s\S])*\))*\)|<[\da-fA-F\s]*>|(?<=[\s\])>])(?:Td|TD|T\*|Tj|TJ|Tm|'|"|BT|ET)(?=[\s[(<]|$)|-?\d+(?:\.\d+)?(?=[\s\]])/g

/** Returns the texts that a content stream shows. A new position is a new line; a wide gap is a space. */
function textOf(content: string): string {
  let text = ''
  for (const [token] of content.matchAll(operator)) {
    if (token.startsWith('(')) text += literal(token.slice(1, -1))
    else if (token.startsWith('<')) text += Buffer.from(token.replace(/[<>\s]/g, ''), 'hex').toString('latin1')
    else if (/^-\d/.test(token)) text += Number(token) < -200 && !/\s$/.test(text) ? ' ' : ''
    else if (/^(?:Td|TD|T\*|Tm|'|"|ET)$/.test(token) && !/(?:^|\n)$/.test(text)) text += '\n'
  }
  return text.trim()
}

const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\n', t: '\t', b: '', f: '' }

const literal = (text: string): string =>
  text.replace(/\\([0-7]{1,3}|\r?\n|[\s\S])/g, (_, code: string) =>
    /^[0-7]/.test(code)
      ? String.fromCharCode(Number.parseInt(code, 8))
      : /^\r?\n$/.test(code)
        ? ''
        : (escapes[code] ?? code),
  )
