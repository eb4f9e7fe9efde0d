import { buying, chatting, type LookName, looks, restoring } from '../support/screens.ts'

// Every session of screens.test.ts in every look.

for (const name of Object.keys(looks) as LookName[]) {
  buying(name)
  restoring(name)
  chatting(name)
}
