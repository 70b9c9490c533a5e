import * as t from 'io-ts'

/** What the codec of the log knows of an event: the kinds of its subject, and the codec of each field of its data. */
export type Shape = Readonly<{
  kinds: ReadonlyArray<string>
  names: ReadonlyArray<string>
  codecs: ReadonlyArray<t.Mixed>
}>

/** The same, with the type that it describes: the compiler compares it with the domain. */
export type ShapeOf<Body> = Shape & Readonly<{ describes?: (body: Body) => Body }>

/** An event of one kind of subject, without its type. */
export const about = <Subject extends string, Data extends t.Props>(kind: Subject, data: Data) =>
  shapeOf([kind], data)

/** A refusal: its subject is the service when the application or user is unknown. */
export const refusal = <Subject extends string, Data extends t.Props>(kind: Subject, data: Data) =>
  shapeOf([kind, 'service'], data)

const shapeOf = <Subject extends string, Data extends t.Props>(
  kinds: ReadonlyArray<Subject>,
  data: Data,
): ShapeOf<{ version: 1; subject: { kind: Subject; id: string }; data: DataOf<Data> }> => ({
  kinds,
  names: Object.keys(data),
  codecs: Object.values(data),
})

/** A field that may be absent. */
export const optional = <A>(type: t.Type<A, unknown, unknown>): Optional<A> =>
  t.union([type, t.undefined]) as unknown as Optional<A>

type Optional<A> = t.Type<A | undefined, unknown, unknown> & Readonly<{ isOptional: true }>
type OptionalNames<Data extends t.Props> = {
  [Name in keyof Data]: Data[Name] extends Readonly<{ isOptional: true }> ? Name : never
}[keyof Data]
/** The type of the fields, in which an optional one may be absent. */
type DataOf<Data extends t.Props> = {
  [Name in Exclude<keyof Data, OptionalNames<Data>>]: t.TypeOf<Data[Name]>
} & { [Name in OptionalNames<Data>]?: Exclude<t.TypeOf<Data[Name]>, undefined> }
