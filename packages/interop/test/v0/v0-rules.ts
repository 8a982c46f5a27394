import type { V0Record } from '../../src/v0/tool-calls.ts';

/**
 * Arguments of each action, the required ones with `!`. V0 refuses a record with any other argument, because it calls
 * the constructor of a class with them.
 *
 * @see OpenHands openhands/events/action and openhands/events/serialization/action.py, November 2025
 */
const actions: Readonly<Record<string, string>> = {
  null: '',
  run: 'command! is_input thought blocking is_static cwd hidden confirmation_state security_risk',
  run_ipython: 'code! thought include_extra confirmation_state security_risk kernel_init_code',
  browse: 'url! thought security_risk return_axtree',
  browse_interactive: 'browser_actions! thought browsergym_send_msg_to_user security_risk return_axtree',
  read: 'path! start end thought security_risk impl_source view_range',
  write: 'path! content! start end thought security_risk',
  edit: 'path! command file_text old_str new_str insert_line content start end thought security_risk impl_source',
  think: 'thought',
  finish: 'final_thought outputs thought',
  reject: 'outputs thought',
  delegate: 'agent! inputs! thought',
  recall: 'recall_type! query thought',
  change_agent_state: 'agent_state! thought',
  message: 'content! file_urls image_urls wait_for_response security_risk',
  system: 'content! tools openhands_version agent_class',
  condensation: 'forgotten_event_ids forgotten_events_start_id forgotten_events_end_id summary summary_offset',
  condensation_request: '',
  call_tool_mcp: 'name! arguments thought security_risk',
  task_tracking: 'command task_list thought',
  loop_recovery: 'option',
};

/** Extras of each observation, in the same form. */
const observations: Readonly<Record<string, string>> = {
  null: '',
  run: 'command! metadata hidden',
  run_ipython: 'code! image_urls',
  browse:
    'url! trigger_by_action! screenshot screenshot_path set_of_marks error goal_image_urls open_pages_urls ' +
    'active_page_index dom_object axtree_object extra_element_properties last_browser_action ' +
    'last_browser_action_error focused_element_bid filter_visible_only',
  read: 'path! impl_source',
  write: 'path!',
  edit: 'path prev_exist old_content new_content impl_source diff',
  delegate: 'outputs!',
  success: '',
  error: 'error_id',
  agent_state_changed: 'agent_state! reason',
  user_rejected: '',
  condense: '',
  think: '',
  recall:
    'recall_type! repo_name repo_directory repo_branch repo_instructions runtime_hosts ' +
    'additional_agent_instructions date custom_secrets_descriptions conversation_instructions working_dir ' +
    'microagent_knowledge',
  mcp: 'name arguments',
  download: 'file_path!',
  task_tracking: 'command task_list',
  loop_detection: '',
};

/** Returns the reasons why V0 could not read records: unknown kinds, wrong arguments, causes and ids. */
export function checkV0Records(records: readonly V0Record[]): readonly string[] {
  return records.flatMap((record, index) => {
    const { action, observation, id, args, extras, content, cause, source, llm_metrics } = record;
    const name = typeof action === 'string' ? action : String(observation);
    const fields = typeof action === 'string' ? actions[name] : observations[name];
    const fieldNames = Object.keys((typeof action === 'string' ? args : extras) ?? {});
    const known = fields?.split(' ') ?? [];
    const names = new Set(known.map((field) => field.replace('!', '')));
    return [
      fields === undefined && `${name} is unknown`,
      ...fieldNames.filter((key) => !names.has(key)).map((key) => `${name} has no ${key}`),
      ...known
        .filter((field) => field.endsWith('!') && !fieldNames.includes(field.slice(0, -1)))
        .map((field) => `${name} needs ${field}`),
      id !== index && `${name} has the id ${JSON.stringify(id)} at ${index}`,
      typeof action !== 'string' && typeof content !== 'string' && `${name} has no content`,
      cause !== undefined &&
        !(typeof cause === 'number' && cause < index) &&
        `${name} has the cause ${JSON.stringify(cause)}`,
      isNegative(llm_metrics) && `${name} has a negative cost`,
      !['agent', 'user', 'environment'].includes(String(source)) && `${name} has the source ${String(source)}`,
    ].filter((reason) => reason !== false);
  });
}

function isNegative(metrics: unknown): boolean {
  const cost =
    typeof metrics === 'object' && metrics !== null && 'accumulated_cost' in metrics && metrics.accumulated_cost;
  return typeof cost === 'number' && cost < 0;
}
