/**
 * Area codes by state: the best known first, the largest states first. Not every code of a state is included, only
 * enough that each state can be searched for.
 */
export const statesByAreaCode = invert({
  CA: '415 213 310 619 408 510 916 650 714 818',
  NY: '212 718 917 646 516 585 716',
  TX: '512 214 713 210 817 832',
  FL: '305 407 813 904 954',
  IL: '312 773 217 630',
  MA: '617 508 978',
  WA: '206 253 509',
  GA: '404 770 912',
  AK: '907',
  AL: '205 256',
  AR: '501 479',
  AZ: '602 480 520',
  CO: '303 720 970',
  CT: '203 860',
  DC: '202',
  DE: '302',
  HI: '808',
  IA: '515 319',
  ID: '208',
  IN: '317 219 574',
  KS: '316 913',
  KY: '502 859',
  LA: '504 225',
  MD: '410 301',
  ME: '207',
  MI: '313 248 616',
  MN: '612 651 218',
  MO: '314 816',
  MS: '601 228',
  MT: '406',
  NC: '704 919 336',
  ND: '701',
  NE: '402',
  NH: '603',
  NJ: '201 973 609',
  NM: '505',
  NV: '702 775',
  OH: '216 614 513',
  OK: '405 918',
  OR: '503 541',
  PA: '215 412 610',
  RI: '401',
  SC: '803 843',
  SD: '605',
  TN: '615 901 423',
  UT: '801 435',
  VA: '703 757 804',
  VT: '802',
  WI: '414 608 920',
  WV: '304',
  WY: '307',
})

/** Area codes by province and territory. */
export const provincesByAreaCode = invert({
  ON: '416 647 437 905 289 613 519 705',
  QC: '514 438 418 450 819',
  BC: '604 778 250 236',
  AB: '403 780 587',
  MB: '204',
  NB: '506',
  NL: '709',
  NS: '902',
  SK: '306 639',
  YT: '867',
})

/**
 * Returns pairs of area code and region. It takes one code of every region in turn, so that a list of numbers starts
 * with many regions.
 */
function invert(codes: Readonly<Record<string, string>>): readonly (readonly [code: string, region: string])[] {
  const rows = Object.entries(codes).map(([region, list]) => ({ region, codes: list.split(' ') }))
  const maxCodes = Math.max(...rows.map((row) => row.codes.length))
  return Array.from({ length: maxCodes }, (_, rank) =>
    rows.flatMap(({ region, codes }) => (codes[rank] ? [[codes[rank], region] as const] : [])),
  ).flat()
}
