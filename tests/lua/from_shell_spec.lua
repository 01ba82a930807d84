-- Shell scripts read as launch files: what the launching command gets is read, and nothing that it does not get.
local errors = require("ballpark.errors")
local from = require("ballpark.from")

local function read(format, text) return from.read(format, text, { file = "run.sh", device = "H100" }) end

local SMALL <const> = "--num-layers 32 --hidden-size 4096 --num-attention-heads 32"
local LARGE <const> = "--num-layers 80 --hidden-size 8192 --num-attention-heads 64"
local JOB <const> = "--seq-length 4096 --micro-batch-size 1 --global-batch-size 64 --bf16"
local START <const> = "torchrun --nnodes 1 --nproc-per-node 8 pretrain_gpt.py "

-- Layers, tensor-parallel ranks and devices that a script of Megatron-LM says.
local function said(text)
  local got = read("megatron-args", text)
  return { got.model and got.model.layers or 0, got.plan.tp, got.devices }
end

describe("what the launching command of a script gets is read:", function()
  -- Name, script, layers, ranks of tensor parallelism.
  local CASES <const> = {
    { "one array of two", ('S=( %s )\nL=(\n  %s\n)\nPAR=(--tensor-model-parallel-size 2)\n%s "${S[@]}" "${PAR[@]}" %s\n'):format(SMALL, LARGE, START, JOB), 32, 2 },
    { "one text of two", ('S="%s"\nL="%s --tensor-model-parallel-size 8"\n%s $S %s'):format(SMALL, LARGE, START, JOB), 32, 1 },
    { "texts inside texts", ('L="%s"\nS="%s"\noptions=" \\\n $S \\\n  %s"\nrun_cmd="python -u pretrain_gpt.py ${options} --tensor-model-parallel-size 4"\n'
      .. 'srun -N 1 --gpus-per-node 8 sh -c "${run_cmd}"'):format(LARGE, SMALL, JOB), 32, 4 },
    { "an evaluated text", ('L="%s"\nCMD="%s %s"\nCMD="$CMD %s"\neval $CMD'):format(LARGE, START, SMALL, JOB), 32, 1 },
    { "a text as the command", ('L="%s"\nCMD="%s %s %s"\n$CMD 2>&1 | tee log.txt'):format(LARGE, START, SMALL, JOB), 32, 1 },
    { "a text for a shell, in single quotes", ("L='%s'\nTP=2\nsrun -N 1 --gpus-per-node 8 bash -c 'cd /x && python pretrain_gpt.py %s %s --tensor-model-parallel-size $TP'")
      :format(LARGE, SMALL, JOB), 32, 2 },
    { "a script for a shell behind <<", ("L='%s'\nbash <<EOF\n%s %s %s\nEOF\n"):format(LARGE, START, SMALL, JOB), 32, 1 },
    { "a script that is written to a file", ("cat > job.sbatch <<-'END'\n\t%s %s %s\n\tEND\nsbatch job.sbatch\n"):format(START, SMALL, JOB), 32, 1 },
    { "a function that is called, of two", ("small() {\n  %s %s %s\n}\nfunction large {\n  %s %s %s\n}\nsmall\n"):format(START, SMALL, JOB, START, LARGE, JOB), 32, 1 },
    { "an array that grows", ('A=(%s)\nA+=(--tensor-model-parallel-size 2 # two\n  %s)\n%s "${A[@]}"'):format(SMALL, JOB, START), 32, 2 },
    { "an array of options with their values in quotes", ('A=()\nX=x\n[[ $X == x ]] && A+=("--tensor-model-parallel-size 2" "--sequence-parallel")\n%s ${A[@]} %s %s')
      :format(START, SMALL, JOB), 32, 2 },
    { "an option twice: the last", ('A=(%s --tensor-model-parallel-size 2)\n%s %s ${A[@]} --tensor-model-parallel-size 4'):format(SMALL, START, JOB), 32, 4 },
    { "several assignments on a line", ('TP=2; LAYERS=32; export HIDDEN=4096\n%s --num-layers $LAYERS --hidden-size ${HIDDEN} --num-attention-heads 32 --tensor-model-parallel-size $TP %s')
      :format(START, JOB), 32, 2 },
    { "the default of a variable", ('%s --num-layers ${LAYERS:-32} --hidden-size "${HIDDEN:-4096}" --num-attention-heads ${H:=32} %s'):format(START, JOB), 32, 1 },
    { "arguments without a command: all", ("%s \\\n %s\n"):format(SMALL, JOB .. " --nnodes 1 --nproc-per-node 8"), 32, 1 },
    { "arrays without a command: all", ("A=(%s)\nB=(\n%s\n--nnodes 1 --nproc-per-node 8\n)\n"):format(SMALL, JOB), 32, 1 },
    { "texts without a command: all", ('export A="%s"\nB=\'%s --nnodes 1 \\\n --nproc-per-node 8\'\n'):format(SMALL, JOB), 32, 1 },
    { "no command that only prints", ('echo "%s %s %s"\necho --num-layers 80\n%s %s %s'):format(START, LARGE, JOB, START, SMALL, JOB), 32, 1 },
    { "no branch that is not taken", ('A=(%s)\nif false; then A+=(--tensor-model-parallel-size 8); fi\n%s ${A[@]} %s'):format(SMALL, START, JOB), 32, 1 },
    { "an if in several lines", ('MODEL=7b\nif [ "$MODEL" = "7b" ]; then\n  A=(%s)\nelif [[ $MODEL == 70b ]]\nthen\n  A=(%s)\nelse\n  exit 1\nfi\n%s ${A[@]} %s')
      :format(SMALL, LARGE, START, JOB), 32, 1 },
    { "its second branch", ('MODEL=${MODEL:-70b}\nif [ "$MODEL" = "7b" ]; then A="%s"; elif [[ $MODEL == 70* ]]; then A="%s"; fi\n%s $A %s')
      :format(SMALL, LARGE, START, JOB), 80, 1 },
    { "case ... ;;", ('SIZE=7b; case $SIZE in\n  7b|8b) A="%s"; TP=2;;\n  70b) A="%s"; TP=8 ;;\n  *) echo no >&2; exit 1;;\nesac\n%s $A %s --tensor-model-parallel-size $TP')
      :format(SMALL, LARGE, START, JOB), 32, 2 },
    { "numbers and lengths", ('N=8\n[ $N -gt 4 ] && TP=2 || TP=1\n[[ -z "" && -n $N ]] || TP=8\nif (( N == 8 )); then A="%s"; else A="%s"; fi\n%s $A %s --tensor-model-parallel-size $TP')
      :format(SMALL, LARGE, START, JOB), 32, 2 },
    { "branches that say nothing else", ('if [ -n "$DATA" ]; then A=(--data-path $DATA); else A=(--mock-data); fi\nif [ -z "$1" ]; then echo usage; exit 1; fi\n%s ${A[@]} %s %s "$@"')
      :format(START, SMALL, JOB), 32, 1 },
    { "arguments of the script: none", ('TP=2\nwhile [[ $# -gt 0 ]]; do\n  case $1 in\n    --tp) TP=$2; shift 2;;\n  esac\ndone\n%s %s %s --tensor-model-parallel-size $TP')
      :format(START, SMALL, JOB), 32, 2 },
    { "a loop that starts again", ('while true; do\n  %s %s %s || sleep 5\ndone\n'):format(START, SMALL, JOB), 32, 1 },
  }
  for _, case in ipairs(CASES) do
    it(case[1], function() assert.same({ case[3], case[4], 8 }, said(case[2])) end)
  end

  it("the example of Megatron-LM, of arrays", function()
    local got = read("megatron-args", [[
#!/bin/bash
# Runs the "175B" parameter model
export CUDA_DEVICE_MAX_CONNECTIONS=1
GPUS_PER_NODE=8
MASTER_ADDR=localhost
NUM_NODES=16
NODE_RANK=0
WORLD_SIZE=$(($GPUS_PER_NODE*$NUM_NODES))
CHECKPOINT_PATH=$1 #<Specify path>
VOCAB_FILE=$3 #<Specify path to file>/gpt2-vocab.json

DISTRIBUTED_ARGS=(
    --nproc_per_node $GPUS_PER_NODE
    --nnodes $NUM_NODES
    --master_addr $MASTER_ADDR
    --master_port 6000
)
GPT_MODEL_ARGS=(
    --num-layers 96
    --hidden-size 12288
    --num-attention-heads 96
    --seq-length 2048
    --max-position-embeddings 2048
)
TRAINING_ARGS=(
    --micro-batch-size 1
    --global-batch-size 1536
    --rampup-batch-size 16 16 5859375
    --train-iters 500000
    --fp16
)
MODEL_PARALLEL_ARGS=(
    --tensor-model-parallel-size 8
    --pipeline-model-parallel-size 16
)
DATA_ARGS=(
    --vocab-file $VOCAB_FILE
    --split 949,50,1
)
torchrun ${DISTRIBUTED_ARGS[@]} pretrain_gpt.py \
    ${GPT_MODEL_ARGS[@]} \
    ${TRAINING_ARGS[@]} \
    ${MODEL_PARALLEL_ARGS[@]} \
    ${DATA_ARGS[@]}
]])
    assert.same({ 96, 12288, 8, 16, 1536, 2048, 128 }, { got.model.layers, got.model.hidden, got.plan.tp, got.plan.pp, got.job.global_batch,
      got.job.seq_len, got.devices })
  end)

  it("the lines of Slurm, and what srun is given", function()
    local got = read("slurm", "#!/bin/bash\n#SBATCH --nodes=4 # four\n#SBATCH --gpus-per-node=8\nL='" .. LARGE .. "'\n"
      .. "head=$(srun --nodes=1 hostname)\nsrun --label bash -c \"python pretrain_gpt.py " .. SMALL .. " " .. JOB .. "\"\n")
    assert.same({ 32, 32 }, { got.model.layers, got.devices })
  end)

  it("a server's", function()
    local got = read("vllm-args", 'SMALL="--max-num-seqs 64 --max-model-len 4096"\nLARGE="--max-num-seqs 512 --max-model-len 32768 --kv-cache-dtype fp8"\n'
      .. "vllm serve meta-llama/Llama-3.1-8B-Instruct --tensor-parallel-size 2 $SMALL")
    assert.same({ 64, 4096, "auto", 2 }, { got.engine.max_running, got.max_model_len, got.plan.kv == "fp8" and "fp8" or "auto", got.plan.tp })
    got = read("sglang-args", "L='--tp 8'\nM=meta-llama/Llama-3.1-8B\nnohup python3 -m sglang.launch_server --model-path $M --tp 2 > log 2>&1 &\n")
    assert.same({ "Llama-3.1-8B", 2 }, { got.catalog_model, got.plan.tp })
    got = read("vllm-args", "docker run --gpus all -p 8000:8000 \\\n vllm/vllm-openai:latest \\\n --model meta-llama/Llama-3.1-8B -tp 2 --speculative-config '{\"num_speculative_tokens\": 3}'")
    assert.same({ 2, 3 }, { got.plan.tp, got.plan.draft_tokens })
  end)
end)

describe("a condition that a script leaves open decides nothing without a word:", function()
  local IF <const> = ('%%s\n  A=(%s)\n%%s\n  A=(%s)\n%%s\n%s ${A[@]} %s\n'):format(SMALL, LARGE, START, JOB)
  local CASES <const> = {
    { IF:format('if [ "$MODEL" = 7b ]; then', "else", "fi"),
      "run.sh:1: hidden-size, num-attention-heads, num-layers: depends on $MODEL, which the file leaves open: set MODEL=... above that line" },
    { "\n" .. IF:format("case $SIZE in 7b)", ";; 70b)", ";; esac"), "run.sh:2: .*depends on $SIZE" },
    { "MODEL=$1\n" .. IF:format("if [[ ${MODEL} == 7b ]]; then", "else", "fi"), "run.sh:2: .*set MODEL=... above" },
    { IF:format("if [ $1 = 7b ]; then", "else", "fi"), "run.sh:1: .*depends on $1, which the file leaves open: write its value there" },
    { IF:format("if nvidia-smi | grep -q H100; then", "else", "fi"), "only a run decides 'grep -q H100'" },
    { ('A=(%s)\n[ "$BIG" = 1 ] && A+=(--tensor-model-parallel-size 8)\n%s ${A[@]} %s'):format(SMALL, START, JOB), "run.sh:2: tensor.model.parallel.size: depends on $BIG" },
    { ('if [ -z "$DATA" ]; then exit 1; fi\nif [ "$X" ]; then TP=2; else TP=4; fi\nif [ "$Y" ]; then exit 1; fi\n%s %s %s --tensor-model-parallel-size $TP')
      :format(START, SMALL, JOB), "run.sh:2: .*depends on $X" },
    { ('if [ "$X" ]; then %s %s %s; else %s %s %s; fi'):format(START, SMALL, JOB, START, LARGE, JOB), "depends on $X" },
    { ('if [ "$X" ]; then A=(%s); else A=(%s); fi\n'):format(SMALL, LARGE), "depends on $X" },
  }
  for i, case in ipairs(CASES) do
    it("case " .. i, function()
      local text, raised = errors.catch(said, case[1])
      assert.equal(2, raised.code)
      local pattern = case[2]:gsub("%-", "%%-"):gsub("%$", "%%$")
      assert.matches(pattern, text)
    end)
  end

  it("however many there are, and whatever the text", function()
    local many = {}
    for i = 1, 300 do many[i] = ("if [ $X%d = 1 ]; then Y=1; fi\n"):format(i) end
    assert.matches("more conditions on what it leaves open", (errors.catch(said, table.concat(many) .. START .. SMALL .. " " .. JOB)))
    for _, text in ipairs({ ("if true; then "):rep(4000), ("$("):rep(30000), ("A=$A$A$A\n"):rep(4000), "A=x" .. ("\nA=\"$A$A\""):rep(4000), ("f() { f; f; f; }\n"):rep(9) .. "f",
      "CMD='eval $CMD'\neval $CMD", ("case $x in a) "):rep(4000), ("\"'"):rep(30000), ("<<A "):rep(15000), ("{ ("):rep(15000), ("A=("):rep(20000),
      ("while [ $x ]; do "):rep(3000), ("! "):rep(30000), ("x() "):rep(10000), ("((("):rep(20000), ("[[ "):rep(15000), ("\\\n"):rep(30000), ("`"):rep(60001) }) do
      errors.catch(said, text)
    end
  end)
end)
