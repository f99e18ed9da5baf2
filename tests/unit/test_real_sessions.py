"""Every real session file that SOURCES.md lists, with what it is there to show."""

from models.kinds import Author
from service.domain.responses import responses
from service.domain.skips import SkipReason, unreadable_lines
from service.domain.transcript import Media, Text, Transcript
from tests.unit.transcript_files import at, denials, lines_of, read_session, said, shared_file

GENERATED = "generated-2.1.332/"


def dangling(transcript: Transcript) -> list[str]:
    answered = {result.tool_use_id for record in transcript.records for result in record.tool_results}
    return [call.name for record in transcript.records for call in record.tool_uses if call.id not in answered]


def runtime_says(transcript: Transcript, opening: str) -> int:
    return sum(text.startswith(opening) for text in said(transcript, Author.RUNTIME))


def test_nothing_in_any_listed_file_is_unreadable() -> None:
    folder = shared_file("transcripts", "claude-code")
    names = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.jsonl"))
    assert len(names) == 33
    for name in names:
        transcript = read_session(name)
        assert unreadable_lines(transcript.skipped) == 0
        assert SkipReason.UNKNOWN_TYPE not in transcript.skipped
        assert transcript.records


def test_short_tool_interrupt() -> None:
    transcript = read_session("spotter-short-tool-interrupt.jsonl")
    assert denials(transcript) == ["user-rejected", "user-rejected"]
    assert runtime_says(transcript, "[Request interrupted by user for tool use]") == 1
    assert said(transcript, Author.PERSON) == ["mix phx.server doesnt seem to start"]
    assert runtime_says(transcript, "<command-name>/model") == 1
    assert transcript.skipped[SkipReason.PROGRESS] == 3
    grouped = {record.message_id for record in transcript.records if record.role == "assistant"}
    assert len(grouped) == 1
    assert len([record for record in transcript.records if record.role == "assistant"]) == 5
    assert len(responses(transcript)) == 1


def test_user_interrupts_and_queue() -> None:
    transcript = read_session("spotter-user-interrupts-queue.jsonl")
    assert runtime_says(transcript, "[Request interrupted by user]") == 2
    assert runtime_says(transcript, "<command-name>/mcp</command-name>") == 2  # as a user row and as a system row
    assert runtime_says(transcript, "<local-command-caveat>") == 1
    assert transcript.skipped[SkipReason.BOOKKEEPING] == 5
    assert len(said(transcript, Author.PERSON)) == 2


def test_task_agent_progress() -> None:
    transcript = read_session("spotter-task-agent-progress.jsonl")
    assert transcript.skipped[SkipReason.PROGRESS] == 44
    asked = [call for record in transcript.records for call in record.tool_uses if call.name == "AskUserQuestion"]
    assert asked
    # The chosen answers were the model's own labels, so they stay results; the slash command's words are a person's.
    first, last = said(transcript, Author.PERSON)
    assert first.startswith("websearch to learn how to fastest setup credo")
    assert last == "create the beads"


def test_summarizers_own_sidechain_is_read_and_holds_no_persons_words() -> None:
    transcript = read_session("spotter-compaction-sidechain-agent-acompact.jsonl")
    assert len(transcript.records) == 4
    assert said(transcript, Author.PERSON) == []
    assert len(said(transcript, Author.RUNTIME)) == 3


def test_compact_boundary_slice() -> None:
    transcript = read_session("spotter-compact-boundary-slice.jsonl")
    assert [record.seq for record in transcript.records if record.compact_boundary] == [153]
    assert [text.seq for text in transcript.records if list(text.texts(Author.SUMMARY))] == [154]
    assert said(transcript, Author.PERSON) == []
    assert min(record.seq for record in transcript.records) < 153 < max(record.seq for record in transcript.records)
    assert transcript.skipped[SkipReason.PROGRESS] == 296


def test_human_rejections_with_words() -> None:
    transcript = read_session("entire-askuserquestion-rejections.jsonl")
    assert denials(transcript) == ["user-rejected"] * 5
    words = {record.seq: list(record.texts(Author.PERSON)) for record in transcript.records if record.tool_results}
    assert words[39] == ["I want the formula to be called homebrew-tab instead of homebrew-entire"]
    assert words[58][0].startswith("is there other way than using HOMEBREW_TAP_GITHUB_TOKEN")
    assert words[71] == ["seems like there is no git:app thing with goreleaser, have you make it up ?"]
    assert words[22] == []  # the template of an unanswered question is nobody's words
    assert words[104] == []  # a bare rejection
    assert words[32] == []  # a chosen label is the model's wording


def test_resumed_with_summary_line() -> None:
    transcript = read_session("entire-resumed-summary-todo-reject.jsonl")
    assert at(transcript, 4).role == "user"
    assert 0 not in {record.seq for record in transcript.records}  # the leading `summary` line is a title
    assert said(transcript, Author.SUMMARY) == []
    assert denials(transcript) == ["user-rejected"]
    assert any(call.name == "TodoWrite" for record in transcript.records for call in record.tool_uses)
    assert runtime_says(transcript, "<local-command-stdout>") == 2
    assert len(said(transcript, Author.PERSON)) == 4


def test_synthetic_api_error() -> None:
    transcript = read_session("entire-api-error-synthetic.jsonl")
    error = at(transcript, 273)
    assert error.role == "assistant"
    assert error.usage is None
    assert next(error.texts(Author.RUNTIME)).startswith("API Error: 500")
    assert len(responses(transcript)) == 56


def test_api_retry_and_plain_interrupt() -> None:
    transcript = read_session("entire-api-retry-user-interrupt.jsonl")
    assert 25 not in {record.seq for record in transcript.records}  # system/api_error
    assert list(at(transcript, 26).texts(Author.RUNTIME)) == ["[Request interrupted by user]"]
    assert denials(transcript) == []
    assert transcript.skipped[SkipReason.SYSTEM_NOTE] == 13


def test_microcompact_then_compact() -> None:
    transcript = read_session("entire-microcompact-and-compact.jsonl")
    assert [record.seq for record in transcript.records if record.compact_boundary] == [154]
    assert list(at(transcript, 155).texts(Author.SUMMARY))
    assert 32 not in {record.seq for record in transcript.records}


def test_large_outputs() -> None:
    transcript = read_session("erk-large-outputs-tasks.jsonl")
    outputs = [result.text for record in transcript.records for result in record.tool_results]
    assert max(map(len, outputs)) > 18_000
    assert any(text.startswith("<persisted-output>") for text in outputs)
    assert any(call.name == "TaskUpdate" for record in transcript.records for call in record.tool_uses)
    assert said(transcript, Author.PERSON) == []  # one slash command without arguments, and its expansion


def test_inline_sidechains_are_skipped() -> None:
    transcript = read_session("viewer-inline-sidechains-todowrite.jsonl")
    assert transcript.skipped == {SkipReason.SIDECHAIN: 22}
    assert said(transcript, Author.PERSON) == ["@CLAUDE.md を最新の状態にアップデートしてください"]


def test_interrupts_by_an_sdk_host_look_like_rejections_and_are_left_so() -> None:
    for name, cut in {
        "interrupt-while-tool-running": 1,
        "interrupt-while-permission-pending": 1,
        "permission-deny-with-interrupt": 1,
        "interrupt-three-parallel-tools": 3,
    }.items():
        transcript = read_session(f"{GENERATED}{name}.jsonl")
        assert denials(transcript) == ["user-rejected"] * cut
        assert runtime_says(transcript, "[Request interrupted by user for tool use]") == 1
        assert [text[:4] for text in said(transcript, Author.PERSON)] == ["work"]
        assert all(result.is_error for record in transcript.records for result in record.tool_results)


def test_interrupt_while_streaming() -> None:
    transcript = read_session(f"{GENERATED}interrupt-while-streaming-text.jsonl")
    assert list(at(transcript, 20).texts(Author.RUNTIME)) == ["[Request interrupted by user]"]
    assert len(said(transcript, Author.ASSISTANT)) == 1


def test_host_callback_deny_is_a_rule_and_no_persons_words() -> None:
    transcript = read_session(f"{GENERATED}permission-deny-by-host.jsonl")
    assert denials(transcript) == ["permission-rule"] * 2
    assert [text[:4] for text in said(transcript, Author.PERSON)] == ["work"]


def test_process_closed_mid_tool() -> None:
    transcript = read_session(f"{GENERATED}process-closed-mid-tool-then-resumed.jsonl")
    assert denials(transcript) == ["interrupted"]
    assert at(transcript, 24).tool_results[0].text.startswith("[Tool call interrupted:")
    assert said(transcript, Author.PERSON)[-1] == "what happened"


def test_rapid_refill_breaker() -> None:
    transcript = read_session(f"{GENERATED}rapid-refill-breaker-three-compactions.jsonl")
    assert len([record for record in transcript.records if record.compact_boundary]) == 3
    assert len(said(transcript, Author.SUMMARY)) == 3
    assert runtime_says(transcript, "Autocompact is thrashing") == 1


def test_blocked_compactions_leave_no_boundary() -> None:
    automatic = read_session(f"{GENERATED}precompact-hook-blocks-auto.jsonl")
    manual = read_session(f"{GENERATED}precompact-hook-blocks-manual.jsonl")
    assert not any(record.compact_boundary for record in automatic.records + manual.records)
    assert runtime_says(manual, "<local-command-stderr>Compaction blocked") == 1
    assert said(manual, Author.PERSON) == ["hello", "hello again", "keep ids"]


def test_hook_ends_a_turn_in_its_own_words() -> None:
    transcript = read_session(f"{GENERATED}posttoolbatch-hook-ends-turn.jsonl")
    assert list(at(transcript, 29).texts(Author.RUNTIME)) == ["context refresh"]
    assert dangling(transcript) == []
    assert denials(transcript) == []


def test_deferred_call_and_a_prompt_folded_into_the_turn() -> None:
    transcript = read_session(f"{GENERATED}pretooluse-hook-defers-call.jsonl")
    assert said(transcript, Author.PERSON) == ["work DIRECTIVE[n=4;cmd=echo hi;final=fin]", "continue"]
    assert list(at(transcript, 36).texts(Author.RUNTIME)) == ["Continue from where you left off."]
    assert dangling(transcript) == []  # it ran after the resume


def test_hook_context_is_the_runtimes() -> None:
    transcript = read_session(f"{GENERATED}hook-context-startup-and-resume.jsonl")
    assert runtime_says(transcript, "SEEDED-LEDGER: ticket ACME-42") == 1
    assert runtime_says(transcript, "UPS-CONTEXT-77") == 2
    assert len(said(transcript, Author.PERSON)) == 2


def test_fork_repeats_records_by_uuid() -> None:
    fork = read_session(f"{GENERATED}fork-copy-of-previous-plus-manual-compact.jsonl")
    original = read_session(f"{GENERATED}hook-context-startup-and-resume.jsonl")
    repeated = {record.uuid for record in fork.records} & {record.uuid for record in original.records}
    assert {record.uuid for record in original.records} == repeated
    assert [record.seq for record in fork.records if record.compact_boundary] == [53]
    assert "keep ids" in said(fork, Author.PERSON)  # the words behind /compact


def test_session_started_by_clear() -> None:
    transcript = read_session(f"{GENERATED}session-started-by-clear.jsonl")
    assert said(transcript, Author.PERSON) == ["hi after clear"]
    assert runtime_says(transcript, "<command-name>/clear") == 1


def test_errors_of_the_harness_bill_nothing() -> None:
    for name, opening, real in (
        ("blocking-limit-autocompact-off", "Prompt is too long", 2),
        ("api-prompt-too-long", "Prompt is too long", 1),
        ("api-529-overloaded", "API Error: 529", 0),
    ):
        transcript = read_session(f"{GENERATED}{name}.jsonl")
        assert runtime_says(transcript, opening)
        assert len(responses(transcript)) == real


def test_large_output_unicode_and_a_background_agent() -> None:
    transcript = read_session(f"{GENERATED}large-output-unicode-background-agent.jsonl")
    outputs = [result.text for record in transcript.records for result in record.tool_results]
    assert any("<persisted-output>" in text for text in outputs)
    assert any("日本語 🎉" in text for text in outputs)
    assert "терминал ✅" in said(transcript, Author.ASSISTANT)
    assert runtime_says(transcript, "<task-notification>") == 1
    assert len(said(transcript, Author.PERSON)) == 3


def test_subagents_own_file() -> None:
    folder = f"{GENERATED}large-output-unicode-background-agent/subagents/"
    transcript = read_session(f"{folder}agent-a39114d29540ab383.jsonl")
    assert said(transcript, Author.PERSON) == []  # another agent wrote the task
    assert said(transcript, Author.RUNTIME)[0].startswith("Subtask: please list files.")
    assert len(responses(transcript)) == 2


def test_images() -> None:
    transcript = read_session(f"{GENERATED}images-and-task-tool.jsonl")
    assert [block for block in at(transcript, 2).blocks if isinstance(block, Media)] == [Media("image/png")]
    assert at(transcript, 19).tool_results
    assert Media("image/png") in at(transcript, 19).blocks
    assert all(isinstance(block, Text) for block in at(transcript, 6).blocks)


def test_usage_is_the_api_sum_and_grows_with_the_session() -> None:
    for name in ("entire-api-error-synthetic.jsonl", "erk-large-outputs-tasks.jsonl"):
        totals = [response.usage.total_tokens for response in responses(read_session(name))]
        assert totals[-1] > totals[0] > 10_000


def test_a_slice_of_sidechain_lines_is_not_taken_for_a_subagents_file() -> None:
    from service.adapters.transcripts.claude_code import ClaudeCodeReader

    lines = lines_of(shared_file("transcripts", "claude-code", "viewer-inline-sidechains-todowrite.jsonl"))
    side = [(seq, line) for seq, line in enumerate(lines) if b'"isSidechain":true' in line]
    transcript = ClaudeCodeReader().read(side)
    assert transcript.records == ()
    assert transcript.skipped == {SkipReason.SIDECHAIN: len(side)}
