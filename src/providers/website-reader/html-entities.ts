/** Named entities of HTML that occur in texts. */
const entityNames: readonly (readonly [signs: string, names: string])[] = [
  ['&<>"\'\u00a0', 'amp lt gt quot apos nbsp'],
  ['–—‘’“”‚„«»‹›…•·', 'ndash mdash lsquo rsquo ldquo rdquo sbquo bdquo laquo raquo lsaquo rsaquo hellip bull middot'],
  ['€£¥¢©®™§¶°±×÷½¼¾', 'euro pound yen cent copy reg trade sect para deg plusmn times divide frac12 frac14 frac34'],
  ['¡¿ªº¹²³µ→←↑↓', 'iexcl iquest ordf ordm sup1 sup2 sup3 micro rarr larr uarr darr'],
  [
    'àáâãäåæçèéêëìíîï',
    'agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml',
  ],
  [
    'ðñòóôõöøùúûüýþÿßœšž',
    'eth ntilde ograve oacute ocirc otilde ouml oslash ugrave uacute ucirc uuml yacute thorn yuml szlig oelig scaron zcaron',
  ],
  [
    'ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏ',
    'Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml',
  ],
  [
    'ÐÑÒÓÔÕÖØÙÚÛÜÝÞŒŠŽ',
    'ETH Ntilde Ograve Oacute Ocirc Otilde Ouml Oslash Ugrave Uacute Ucirc Uuml Yacute THORN OElig Scaron Zcaron',
  ],
]

/** Characters of HTML entities by name. */
export const htmlEntities: Readonly<Record<string, string>> = Object.assign(
  Object.create(null),
  { shy: '', ensp: ' ', emsp: ' ', thinsp: ' ', zwnj: '', zwj: '' },
  ...entityNames.map(([signs, all]) => Object.fromEntries(all.split(' ').map((name, at) => [name, signs[at]]))),
)
