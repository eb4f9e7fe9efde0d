import { testEveryForm } from './every-form.ts'

testEveryForm(1, 3)
