/** A field in the completion table: `name`, or `name=value|value` with all values of an enum. */
const parseField = (text: string): readonly [name: string, values: readonly string[]] => {
  const [name = '', values] = text.split('=', 2)
  return [name, values?.split('|') ?? []]
}

/**
 * Returns candidates for the value of --filter or --sort. `fields` are those of the records, as in the completion table.
 */
export function filterCandidates(flag: string, fields: readonly string[], typed: string): string[] {
  const at = typed.lastIndexOf(',') + 1
  const [before, part] = [typed.slice(0, at), typed.slice(at)]
  const known = fields.map(parseField)
  if (flag === '--sort') {
    const sign = part.startsWith('-') ? '-' : ''
    return known.flatMap(([name]) => (`${sign}${name}`.startsWith(part) ? [`${before}${sign}${name}`] : []))
  }
  const [, name, operator, value = ''] = /^([\w.]+)(!=|=)(.*)$/.exec(part) ?? []
  if (name !== undefined)
    return (known.find(([it]) => it === name)?.[1] ?? []).flatMap((it) =>
      it.startsWith(value) ? [`${before}${name}${operator}${it}`] : [],
    )
  return known.flatMap(([it]) => (it.startsWith(part) ? [`${before}${it}=`] : []))
}
