/**
 * The one field of the arguments that stand in a request for what a model wrote and no provider would parse: its text as it
 * was. Who renders calls in another form can show that text again.
 */
export const unparsedArguments = 'unparsed_arguments';
