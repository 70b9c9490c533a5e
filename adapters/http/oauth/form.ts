import { type BodyShape, type FieldShape, fieldsSchema } from '../operation/fields.ts'
import { FORM } from '../request/form.ts'

/** The parameters of a form and their schema. */
export const formFields = <Name extends string>(
  shapes: Readonly<Record<Name, FieldShape>>,
  required: ReadonlyArray<NoInfer<Name>>,
): BodyShape & Readonly<{ names: ReadonlyArray<Name> }> => ({
  names: Object.keys(shapes) as Array<Name>, // those of the record
  type: FORM,
  schema: fieldsSchema(shapes, required),
})
