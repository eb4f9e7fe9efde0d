/** Characters of the GSM alphabet; those of its extension take two places. */
const basic = new Set('@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà')
const extended = new Set('^{}\\[~]|€\f')

/** How many parts an SMS is sent in: of 160 places in the GSM alphabet and 70 in Unicode, of 153 and 67 where there are several. */
export function segmentsOf(text: string): number {
  const isGsm = [...text].every((it) => basic.has(it) || extended.has(it))
  const places = isGsm ? [...text].reduce((sum, it) => sum + (extended.has(it) ? 2 : 1), 0) : text.length
  const [one, each] = isGsm ? [160, 153] : [70, 67]
  return places <= one ? 1 : Math.ceil(places / each)
}
