import {
  type Attribute,
  type AttributeProblem,
  MAX_METADATA_BYTES,
  MAX_METADATA_MEMBERS,
  MAX_METADATA_TEXT,
} from '../../domain/attributes.ts'

/** Why an attribute is refused: its name, and the end of a sentence that begins with the name. */
export const ATTRIBUTE_TEXTS: Readonly<
  Record<AttributeProblem, readonly [attribute: Attribute, predicate: string]>
> = {
  NameMalformed: ['name', 'must have 1 to 100 printable characters.'],
  GivenNameMalformed: ['given_name', 'must have 1 to 100 printable characters.'],
  FamilyNameMalformed: ['family_name', 'must have 1 to 100 printable characters.'],
  PictureMalformed: ['picture', 'must be an https URL with at most 1000 printable ASCII characters.'],
  LocaleMalformed: ['locale', 'must be a language tag such as de-CH.'],
  ZoneinfoMalformed: ['zoneinfo', 'must be a time zone such as Europe/Zurich.'],
  MetadataMalformed: [
    'metadata',
    `must be an object of booleans, numbers and texts of at most ${MAX_METADATA_TEXT} characters, with names such as shoe_size.`,
  ],
  MetadataTooLarge: [
    'metadata',
    `must have at most ${MAX_METADATA_MEMBERS} members and ${MAX_METADATA_BYTES} bytes.`,
  ],
}
