import { testEveryForm } from './every-form.ts'

testEveryForm(0, 3)
