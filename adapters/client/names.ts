import { isObject } from './encoding.ts'

/** `newPassword` → `new_password`. */
export const wireName = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** `new_password` → `newPassword`. */
export const programName = (name: string): string =>
  name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())

/** The same JSON with the names of a program: `expires_in` → `expiresIn`, also in nested objects. */
export const programNames = (json: unknown): unknown => {
  if (Array.isArray(json)) return json.map(programNames)
  if (!isObject(json)) return json
  return Object.fromEntries(
    Object.entries(json).map(([name, value]) => [
      programName(name),
      // A browser gets the options of a passkey as they are, and the names in metadata belong to the application.
      name === 'options' || name === 'metadata' ? value : programNames(value),
    ]),
  )
}
