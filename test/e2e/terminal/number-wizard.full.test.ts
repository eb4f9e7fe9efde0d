import { filledPlace } from '../support/built-program.ts'
import { endings, enterBuysNothing, givingUpBuysNothing, looks } from '../support/number-wizard.ts'

// Buying a number by hand on every kind of terminal, and given up at every question: number-wizard.cases.test.ts has some of each.

const at = await filledPlace()

enterBuysNothing(at, looks)
givingUpBuysNothing(at, endings)
