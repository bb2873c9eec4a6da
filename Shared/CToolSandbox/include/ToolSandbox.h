#pragma once

/// The first argument with which an executable that links this target, started once more, becomes a media tool:
///
///     /proc/self/exe --media-tool-sandbox SECONDS MEMORY FILE-BYTES PROGRAM [ARGUMENT...]
///
/// MediaFiles' `ToolRunner` starts it; see ToolSandbox.c.
#define TOOL_SANDBOX_ARGUMENT "--media-tool-sandbox"
