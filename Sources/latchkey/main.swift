import CommandLineTool

ToolProgram.main()
